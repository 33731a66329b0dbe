"""A remote MCP client that has no token: it is refused, finds the sign-on service by the metadata of the server, signs in
there and calls a tool. The sign-on service is a small one of this script; the client is the official one.

Usage: mcp_sign_on.py PORT_OF_THE_SIGN_ON_SERVICE MCP_URL
"""

import asyncio
import base64
import hashlib
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

port, url = int(sys.argv[1]), sys.argv[2]
ISSUER = f"http://127.0.0.1:{port}"
REDIRECT = "http://127.0.0.1:9/signed-in"
key = Ed25519PrivateKey.generate()
asked = []


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(claims):
    parts = [encoded(json.dumps(part).encode()) for part in ({"alg": "EdDSA", "kid": "k"}, claims)]
    return ".".join(parts + [encoded(key.sign(".".join(parts).encode()))])


class SignOn(BaseHTTPRequestHandler):
    challenges = {}

    def answer(self, status, body, location=None):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, query = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
        asked.append(path)
        if path == "/keys":
            public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
            return self.answer(200, {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": encoded(public)}]})
        if path == "/.well-known/oauth-authorization-server":
            return self.answer(200, {
                "issuer": ISSUER, "authorization_endpoint": ISSUER + "/authorize", "token_endpoint": ISSUER + "/token",
                "registration_endpoint": ISSUER + "/register", "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"], "grant_types_supported": ["authorization_code"],
                "token_endpoint_auth_methods_supported": ["none"]})
        if path == "/authorize":
            assert query["resource"] == url and query["code_challenge_method"] == "S256", query
            self.challenges["one"] = query["code_challenge"]
            return self.answer(302, {}, REDIRECT + "?" + urlencode({"code": "one", "state": query["state"]}))
        return self.answer(404, {})

    def do_POST(self):
        asked.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/register":
            return self.answer(201, {**json.loads(body), "client_id": "client", "token_endpoint_auth_method": "none"})
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        verified = encoded(hashlib.sha256(form["code_verifier"].encode()).digest())
        assert verified == self.challenges.pop(form["code"]) and form["resource"] == url, form
        claims = {"iss": ISSUER, "aud": form["resource"], "sub": "anna", "roles": ["user"], "exp": time.time() + 600}
        return self.answer(200, {"access_token": signed(claims), "token_type": "Bearer", "expires_in": 600})

    def log_message(self, *_):
        pass


class Kept:
    """The tokens of the client, in RAM."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Browser:
    """The person's browser: it follows the link and comes back with the code."""

    landed = None

    async def open(self, link):
        async with httpx2.AsyncClient() as browser:
            self.landed = (await browser.get(link)).headers["location"]

    async def came_back(self):
        return AuthorizationCodeResult(**dict(parse_qsl(urlsplit(self.landed).query)))


async def main():
    browser = Browser()
    client = OAuthClientMetadata(client_name="test", redirect_uris=[REDIRECT], token_endpoint_auth_method="none")
    auth = OAuthClientProvider(url, client, Kept(), browser.open, browser.came_back)
    http = httpx2.AsyncClient(auth=auth, timeout=60)
    async with Client(streamable_http_client(url, http_client=http)) as mcp:
        stored = await mcp.call_tool("remember", {"content": "The boat house key is blue", "said_by": "user"})
        assert not stored.is_error, stored.content[0].text
        found = await mcp.call_tool("recall", {"query": "boat house key"})
        assert "blue" in found.content[0].text, found.content[0].text
    for step in ("/.well-known/oauth-authorization-server", "/register", "/authorize", "/token", "/keys"):
        assert step in asked, (step, asked)
    print("done")


service = ThreadingHTTPServer(("127.0.0.1", port), SignOn)
threading.Thread(target=service.serve_forever, daemon=True).start()
asyncio.run(main())
