"""llama.cpp's own server with a model file, on a free port: `llama_server.py FILE` prints its address and ends with its standard input."""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 4096
params.hostnames, params.port = ["127.0.0.1"], 0
# On a busy machine two threads spend their time waiting for each other.
params.cpuparams.n_threads = 1
server = xllamacpp.Server(params)
print(f"{server.listening_address}/v1", flush=True)
sys.stdin.read()
