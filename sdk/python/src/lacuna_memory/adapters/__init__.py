"""Lacuna in the place of other memories. Each module needs the package that it is for."""
