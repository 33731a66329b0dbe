"""Writes the types of both SDKs from the description that a server gives at /openapi.json.

    python3 sdk/generate.py http://127.0.0.1:7707/openapi.json

A path of a saved file works as well. The description names more than the SDKs cover: only the types that `OPERATIONS`
reach are written.
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PYTHON = HERE / "python/src/lacuna_memory/types.py"
TYPESCRIPT = HERE / "typescript/src/types.ts"
LINE_CHARS_MAX = 110

#: The operations that the SDKs cover, by the operation id of the description.
OPERATIONS = {
    "remember", "remember_batch", "search", "context", "list_memories", "get_memory", "replace_memory", "erase_memory",
    "correct",
    "pin", "set_state", "promote_memory", "demote_memory", "plan_forget", "confirm_forget", "verify_forgotten",
    "list_receipts", "get_receipt", "list_sessions", "start_session", "show_session", "append_turns", "end_session",
    "list_review", "review", "create_export", "import", "memory_tool", "compact", "list_scopes", "vault_state",
    "put_record", "get_record", "erase_record", "put_records", "search_records", "list_namespaces", "erase_records",
    "set_record_ttl", "set_expiry", "freeze", "create_token", "list_tokens", "revoke_token", "healthz", "readyz",
}  # fmt: skip

#: Keyword arguments of a Python method: the fields of a request without those that stand on their own.
OPTIONS = {
    "RememberOptions": ("RememberRequest", {"content"}),
    "SearchOptions": ("SearchRequest", {"query"}),
    "ContextOptions": ("ContextRequest", {"turn"}),
    "CorrectOptions": ("CorrectRequest", {"content"}),
    "ReplaceOptions": ("ReplaceRequest", {"content"}),
    "ForgetOptions": ("ForgetRequest", {"words"}),
    "ConfirmOptions": ("ForgetConfirmation", {"token"}),
    "ExportOptions": ("ExportRequest", set()),
    "CompactOptions": ("CompactRequest", set()),
}

#: Keyword arguments that travel as a query string.
QUERIES = {"ListOptions": "list_memories"}

Schema = dict[str, Any]


class Description:
    def __init__(self, document: Schema) -> None:
        self.schemas: dict[str, Schema] = document["components"]["schemas"]
        self.operations: dict[str, Schema] = {
            operation["operationId"]: operation
            for methods in document["paths"].values()
            for operation in methods.values()
            if isinstance(operation, dict) and "operationId" in operation
        }

    def reached(self) -> list[str]:
        """The schemas that the operations and the error document name, in alphabetical order."""
        seen: set[str] = {"Problem"}
        waiting: list[Any] = [self.schemas["Problem"]]
        waiting += [self.operations[name] for name in sorted(OPERATIONS)]
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting += node
            elif isinstance(node, dict):
                if "$ref" in node and (name := node["$ref"].split("/")[-1]) not in seen:
                    seen.add(name)
                    waiting.append(self.schemas[name])
                waiting += node.values()
        return sorted(seen)

    def options(self) -> dict[str, Schema]:
        """Objects that are no schema of their own: the keyword arguments of the Python methods."""
        found: dict[str, Schema] = {}
        for name, (request, positional) in OPTIONS.items():
            fields = {k: v for k, v in self.schemas[request]["properties"].items() if k not in positional}
            found[name] = {"type": "object", "properties": fields, "description": f"Options of {request}."}
        for name, operation in QUERIES.items():
            parameters = [p for p in self.operations[operation]["parameters"] if p["in"] == "query"]
            fields = {p["name"]: {"description": p.get("description", ""), **p["schema"]} for p in parameters}
            found[name] = {"type": "object", "properties": fields, "description": f"Options of {operation}."}
        return found


def said(schema: Schema) -> str:
    return " ".join(schema.get("description", "").split())


def types_of(schema: Schema) -> list[str]:
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


class Python:
    NAMES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

    def __init__(self, description: Description) -> None:
        self.schemas = description.schemas
        self.lines: list[str] = []

    def kind(self, schema: Schema) -> str:
        if "$ref" in schema:
            return str(schema["$ref"].split("/")[-1])
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return " | ".join(dict.fromkeys(self.kind(part) for part in schema[word]))
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self.kind(schema["allOf"][0])
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
        return " | ".join(self.plain(kind, schema) for kind in types_of(schema)) or "Any"

    def plain(self, kind: str, schema: Schema) -> str:
        if kind == "array":
            items = schema.get("items")
            return f"list[{self.kind(items) if isinstance(items, dict) else 'Any'}]"
        if kind == "object":
            return "dict[str, Any]"
        return self.NAMES[kind]

    def write(self, name: str, schema: Schema) -> None:
        if "allOf" in schema:
            self.joined(name, schema)
        elif "oneOf" in schema and all("properties" in part or "allOf" in part for part in schema["oneOf"]):
            variants = []
            for part in schema["oneOf"]:
                variants.append(name + self.variant(part))
                self.write(variants[-1], part)
            self.alias(name, " | ".join(f'"{variant}"' for variant in variants), schema)
        elif "oneOf" in schema and all("$ref" in part for part in schema["oneOf"]):
            self.alias(name, " | ".join(f'"{self.kind(part)}"' for part in schema["oneOf"]), schema)
        elif "properties" in schema or schema.get("type") == "object":
            self.object(name, ["TypedDict"], schema)
        else:
            self.alias(name, self.kind(schema), schema)

    def variant(self, part: Schema) -> str:
        """The word that tells one form of a union from the others."""
        objects = [part, *part.get("allOf", [])]
        fields = [field for each in objects for field in each.get("properties", {}).values()]
        word = next(field["enum"][0] for field in fields if len(field.get("enum", [])) == 1)
        return "".join(piece.capitalize() for piece in word.split("_"))

    def joined(self, name: str, schema: Schema) -> None:
        bases = [part["$ref"].split("/")[-1] for part in schema["allOf"] if "$ref" in part]
        own: Schema = {"properties": {}, "required": [], "description": said(schema)}
        for part in schema["allOf"]:
            own["properties"].update(part.get("properties", {}))
            own["required"] += part.get("required", [])
        unions = [base for base in bases if "oneOf" in self.schemas[base]]
        if not unions:
            self.object(name, bases, own)
            return
        # A field that is added to a union is added to each of its forms.
        variants = []
        for part in self.schemas[unions[0]]["oneOf"]:
            word = self.variant(part)
            variants.append(name + word)
            self.object(variants[-1], [unions[0] + word], own)
        self.alias(name, " | ".join(f'"{variant}"' for variant in variants), schema)

    def alias(self, name: str, kind: str, schema: Schema) -> None:
        # Names in quotes are read later, so that classes may follow; `|` does not work with them.
        if kind.startswith('"'):
            kind = f"Union[{kind.replace(' | ', ', ')}]"
        line = f"{name}: TypeAlias = {kind}"
        if len(line) > LINE_CHARS_MAX:
            start, _, rest = kind.partition("[")
            line = f"{name}: TypeAlias = {start}[\n    " + ",\n    ".join(rest[:-1].split(", ")) + ",\n]"
        after_class = [""] if self.lines and self.lines[-1].startswith(" ") else []
        self.lines += [
            *after_class,
            "",
            *(f"#: {text}" for text in textwrap.wrap(said(schema), LINE_CHARS_MAX - 3)),
            line,
        ]

    def object(self, name: str, bases: list[str], schema: Schema) -> None:
        fields, required = schema.get("properties", {}), schema.get("required", [])
        kinds = {}
        for field, value in fields.items():
            kind = self.kind(value)
            kinds[field] = kind if field in required else f"NotRequired[{kind}]"
        if any(keyword.iskeyword(field) for field in fields):
            rows = [f'        "{field}": "{kind}",'.replace('["', "['") for field, kind in kinds.items()]
            self.lines += ["", "", f"{name} = TypedDict(", f'    "{name}",', "    {", *rows, "    },", ")"]
            return
        self.lines += ["", "", f"class {name}({', '.join(bases)}):"]
        if text := said(schema):
            wrapped = textwrap.wrap(text, LINE_CHARS_MAX - 10)
            self.lines += [f'    """{wrapped[0]}', *(f"    {line}" for line in wrapped[1:])]
            self.lines[-1] += '"""'
            self.lines.append("")
        for field, kind in kinds.items():
            notes = textwrap.wrap(said(fields[field]), LINE_CHARS_MAX - 7)
            self.lines += [f"    #: {line}" for line in notes] + [f"    {field}: {kind}"]
        if not kinds:
            self.lines.append("    pass")


class TypeScript:
    NAMES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

    def __init__(self) -> None:
        self.lines: list[str] = []

    def kind(self, schema: Schema, indent: str = "") -> str:
        if "$ref" in schema:
            return str(schema["$ref"].split("/")[-1])
        for word, sign in (("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")):
            if word in schema:
                parts = list(dict.fromkeys(self.kind(part, indent) for part in schema[word]))
                return sign.join(f"({part})" if " & " in part and sign == " | " else part for part in parts)
        if "enum" in schema:
            return " | ".join(json.dumps(value) for value in schema["enum"])
        if "properties" in schema:
            return self.fields(schema, indent)
        return " | ".join(self.plain(kind, schema) for kind in types_of(schema)) or "unknown"

    def plain(self, kind: str, schema: Schema) -> str:
        if kind == "array":
            items = schema.get("items")
            return f"Array<{self.kind(items) if isinstance(items, dict) else 'unknown'}>"
        if kind == "object":
            return "Record<string, unknown>"
        return self.NAMES[kind]

    def fields(self, schema: Schema, indent: str) -> str:
        required, inner = schema.get("required", []), indent + "  "
        lines = ["{"]
        for field, value in schema["properties"].items():
            lines += self.note(said(value), inner)
            lines.append(f"{inner}{field}{'' if field in required else '?'}: {self.kind(value, inner)};")
        return "\n".join([*lines, indent + "}"])

    def note(self, text: str, indent: str = "") -> list[str]:
        wrapped = textwrap.wrap(text.replace("*/", "* /"), LINE_CHARS_MAX - 7 - len(indent))
        if len(wrapped) <= 1:
            return [f"{indent}/** {line} */" for line in wrapped]
        return [f"{indent}/**", *(f"{indent} * {line}" for line in wrapped), f"{indent} */"]

    def write(self, name: str, schema: Schema) -> None:
        self.lines += ["", *self.note(said(schema)), f"export type {name} = {self.kind(schema)};"]


def ordered(schemas: dict[str, Schema], names: list[str]) -> list[str]:
    """Bases before the classes that extend them."""
    done: list[str] = []

    def add(name: str) -> None:
        if name in done:
            return
        schema = schemas[name]
        for part in [*schema.get("allOf", []), *(p for v in schema.get("oneOf", []) for p in v.get("allOf", []))]:
            if "$ref" in part:
                add(part["$ref"].split("/")[-1])
        if name not in done:
            done.append(name)

    for name in names:
        add(name)
    return done


def python(description: Description) -> str:
    writer = Python(description)
    names = ordered(description.schemas, description.reached())
    # A plain alias is evaluated when the module loads, so what it names comes first: words, then objects.
    for name in sorted(names, key=lambda name: "enum" not in description.schemas[name]):
        writer.write(name, description.schemas[name])
    for name, schema in description.options().items():
        writer.write(name, schema)
    head = [
        '"""The types of requests and answers, as the server describes them.',
        "",
        "Written by sdk/generate.py: run it again after the description has changed. A value is the JSON that travels:",
        'a newer server may send fields that are not named here."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Union",
        "",
        "if TYPE_CHECKING:",
        "    from typing_extensions import NotRequired",
    ]
    return "\n".join(head + writer.lines) + "\n"


def typescript(description: Description) -> str:
    writer = TypeScript()
    for name in description.reached():
        writer.write(name, description.schemas[name])
    parameters = description.options()
    for name in QUERIES:
        writer.write(name, parameters[name])
    head = [
        "// The types of requests and answers, as the server describes them.",
        "// Written by sdk/generate.py: run it again after the description has changed. A newer server may send fields",
        "// that are not named here.",
    ]
    return "\n".join(head + writer.lines) + "\n"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = sys.argv[1]
    if source.startswith("http"):
        with urllib.request.urlopen(source, timeout=10) as answer:
            document = json.load(answer)
    else:
        document = json.loads(Path(source).read_text(encoding="utf-8"))
    description = Description(document)
    PYTHON.write_text(python(description), encoding="utf-8")
    TYPESCRIPT.write_text(typescript(description), encoding="utf-8")


if __name__ == "__main__":
    main()
