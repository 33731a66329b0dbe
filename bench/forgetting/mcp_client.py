"""A client of an MCP server on standard input and output, with no more than the benchmark needs."""

import json
import subprocess

PROTOCOL = "2025-06-18"
CLOSE_SECONDS_MAX = 60


class McpServer:
    def __init__(self, command, variables):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=variables
        )
        self.count = 0
        client = {"name": "bench", "version": "1"}
        self.send("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _write(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def send(self, method, parameters):
        self.count += 1
        self._write({"jsonrpc": "2.0", "id": self.count, "method": method, "params": parameters})
        for line in self.process.stdout:
            answer = json.loads(line)
            # Notifications have no id.
            if answer.get("id") == self.count:
                return answer["result"]
        raise RuntimeError("the server closed its output")

    def tool(self, name, **given):
        """The text of the answer, also of one that says no."""
        result = self.send("tools/call", {"name": name, "arguments": given})
        return "\n".join(part.get("text", "") for part in result["content"])

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=CLOSE_SECONDS_MAX)
