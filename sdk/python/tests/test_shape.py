"""Both clients offer the same, and their types name nothing that the server does not."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import httpx

from lacuna_memory import AsyncLacuna, Lacuna, types
from support import Folder


def public(client: type) -> dict[str, str]:
    """The methods of a client, and their parameters."""
    methods = inspect.getmembers(client, inspect.isfunction)
    return {
        name: str(inspect.signature(method).replace(return_annotation=None))
        for name, method in methods
        if name[0] != "_"
    }


def fields(schemas: dict[str, Any], schema: dict[str, Any]) -> set[str]:
    """The names of all fields that a schema describes, in all its forms."""
    if "$ref" in schema:
        return fields(schemas, schemas[schema["$ref"].split("/")[-1]])
    parts = [part for word in ("allOf", "oneOf") for part in schema.get(word, [])]
    return set(schema.get("properties", {})).union(*(fields(schemas, part) for part in parts))


class Shape(Folder):
    def test_both_clients_have_the_same_methods(self) -> None:
        self.assertEqual(public(Lacuna), public(AsyncLacuna))

    def test_the_types_name_nothing_that_the_server_does_not_describe(self) -> None:
        description = httpx.get(f"{self.client().url}/openapi.json", trust_env=False).json()
        schemas = description["components"]["schemas"]
        checked = 0
        for name, schema in schemas.items():
            kind = getattr(types, name, None)
            if kind is None or not typing.is_typeddict(kind):
                continue
            unknown = set(kind.__annotations__) - fields(schemas, schema)
            self.assertEqual(unknown, set(), f"{name}: run sdk/generate.py with the description of this server")
            checked += 1
        self.assertGreater(checked, 50)
