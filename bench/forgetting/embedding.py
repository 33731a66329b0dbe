"""The sentence model that every peer which embeds is given: all-MiniLM-L6-v2 on ONNX Runtime, as the other benchmarks use it."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "peers"))

from minilm import WIDTH, MiniLm  # noqa: E402, F401
