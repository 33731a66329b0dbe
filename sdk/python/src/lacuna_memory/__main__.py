"""`lacuna-memory …` and `python -m lacuna_memory …`: the program `lacuna`, which the wheel carries."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._local import BINARY_VARIABLE, find_binary
from .errors import LocalServerError


def main() -> NoReturn:
    try:
        program = find_binary(None)
    except LocalServerError as error:
        sys.exit(f"lacuna-memory: {error}")
    environment = {name: value for name, value in os.environ.items() if name != BINARY_VARIABLE}
    # The program takes the place of this one, with its input, outputs and signals.
    os.execve(program, [program, *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
