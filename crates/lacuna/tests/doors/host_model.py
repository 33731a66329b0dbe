"""A model for hosts under test, in the words of three services: it says one word and writes down what it was asked. `model.py FILE` prints its address."""

import http.server
import json
import sys
import threading

ANSWER = "Noted."


def event(data, name=None):
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


def anthropic(_):
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return "".join(event(each, each["type"]) for each in events)


def openai(_):
    item = {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": ANSWER}]}
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None, "total_tokens": 2}
    events = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
    ]
    return "".join(event(each, each["type"]) for each in events)


def google(path):
    part = {"content": {"role": "model", "parts": [{"text": ANSWER}]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    answer = {"candidates": [part], "usageMetadata": usage}
    return event(answer) if path.endswith("streamGenerateContent") else json.dumps(answer)


SERVICES = {"/messages": anthropic, "/responses": openai, "enerateContent": google}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        path = self.path.split("?")[0]
        answer = next((make for end, make in SERVICES.items() if path.endswith(end)), None)
        with open(sys.argv[1], "a") as file:
            file.write(json.dumps({"path": path, "body": body}) + "\n")
        self.answer(answer(path) if answer else "{}", "text/event-stream" if answer else "application/json")

    def do_GET(self):
        self.answer("{}", "application/json")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()
