"""A small OpenID Connect provider on loopback: authorization code flow with PKCE, RS256 keys made when it starts.

Its page lists people; clicking one signs in as that person. It checks what a provider checks: client, secret,
redirect address, code used once, PKCE. Not a login: nobody has a password.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "tokenrace-tests", "a secret between two loopback servers"
ALGORITHM = "RS256"
PAGE = "<!doctype html><title>Sign in at the provider</title><h1>Who are you?</h1>{links}"


@dataclass
class Provider:
    """The provider's state: its people by email, its signing key, the codes and logouts so far."""

    people: dict[str, dict[str, Any]]
    redirect_uri: str
    url: str = ""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "tests", "use": "sig"}))
    codes: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)
    left: list[dict[str, str]] = field(default_factory=list)

    def metadata(self) -> dict[str, Any]:
        """The discovery document."""
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "end_session_endpoint": f"{self.url}/leave",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def refusal(self, asked: dict[str, str]) -> str:
        """Why an authorization request is wrong; empty when it is right."""
        right = {"client_id": CLIENT, "redirect_uri": self.redirect_uri, "response_type": "code",
                 "code_challenge_method": "S256"}  # fmt: skip
        wrong = [name for name, value in right.items() if asked.get(name) != value]
        if "openid" not in asked.get("scope", "").split():
            wrong.append("scope")
        return ", ".join([*wrong, *(name for name in ("state", "nonce", "code_challenge") if not asked.get(name))])

    def redirect(self, email: str, asked: dict[str, str]) -> str:
        """Where a person who has signed in is sent, with a code that is good once."""
        code = secrets.token_urlsafe(16)
        self.codes[code] = (email, asked)
        return f"{self.redirect_uri}?{urlencode({'code': code, 'state': asked['state']})}"

    def tokens(self, form: dict[str, str], credentials: str) -> dict[str, Any] | None:
        """The tokens for a code; None when client, secret, code or verifier is wrong."""
        expected = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        known = self.codes.pop(form.get("code", ""), None)
        if known is None or credentials not in (f"Basic {expected}", f"Basic {_quoted()}"):
            return None
        email, asked = known
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]:
            return None
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"],
                  "sub": email, "email": email, **self.people[email]}  # fmt: skip
        token = jwt.encode({"alg": ALGORITHM, "kid": "tests"}, claims, self.key)
        return {"access_token": secrets.token_urlsafe(8), "token_type": "Bearer", "expires_in": 300, "id_token": token}


def _quoted() -> str:
    pair = urlencode({"": CLIENT})[1:] + ":" + urlencode({"": SECRET})[1:]
    return base64.b64encode(pair.encode()).decode()


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        documents = {"/.well-known/openid-configuration": self.provider.metadata,
                     "/keys": lambda: {"keys": [self.provider.key.as_dict(private=False)]}}  # fmt: skip
        if parts.path in documents:
            self._answer(json.dumps(documents[parts.path]()), "application/json")
        elif parts.path == "/authorize":
            self._authorize(asked)
        elif parts.path == "/leave":
            self.provider.left.append(asked)
            self._send_to(asked.get("post_logout_redirect_uri", "/"))
        else:
            self._answer("nothing here", status=404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        tokens = self.provider.tokens(form, self.headers.get("authorization", ""))
        answer = tokens or {"error": "invalid_grant"}
        self._answer(json.dumps(answer), "application/json", 200 if tokens else 400)

    def _authorize(self, asked: dict[str, str]) -> None:
        wrong = self.provider.refusal(asked)
        if wrong:
            self._answer(f"wrong: {escape(wrong)}", status=400)
        elif asked.get("as") in self.provider.people:
            self._send_to(self.provider.redirect(asked.pop("as"), asked))
        else:
            links = [f'<p><a href="/authorize?{escape(urlencode(asked | {"as": email}))}">{escape(email)}</a>'
                     for email in self.provider.people]  # fmt: skip
            self._answer(PAGE.format(links="".join(links)), "text/html")

    def _send_to(self, url: str) -> None:
        self.send_response(302)
        self.send_header("Location", url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, text: str, kind: str = "text/plain", status: int = 200) -> None:
        raw = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: Any) -> None:
        """Silent."""


@contextmanager
def providing(people: dict[str, dict[str, Any]], redirect_uri: str) -> Iterator[Provider]:
    """A running provider that knows these people (email: further claims) and one client."""
    provider = Provider(people, redirect_uri)
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"provider": provider}))
    provider.url = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()
