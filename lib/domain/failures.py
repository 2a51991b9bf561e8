"""Every way a generation can fail, in one tree, with the words a person reads.

    failed
    ├── before an answer
    │   ├── connect              refused · DNS · TLS · timeout (the sentence says which)
    │   ├── auth                 401, 403, or a key that cannot be sent
    │   ├── not_found            404: wrong address, or no such model
    │   ├── bad_request          400, 413, 422 and other 4xx
    │   ├── rate_limited         429
    │   ├── server_error         5xx
    │   └── timeout_first_token  connected, but nothing said within the limit
    ├── in the answer
    │   ├── bad_response         not a stream, or broken beyond use
    │   ├── stream_error         an error object inside the stream
    │   ├── connection_lost      the connection was cut
    │   ├── timeout_stall        silence in mid-answer longer than the limit
    │   ├── timeout_total        the whole answer took longer than the limit
    │   └── too_large            a frame or a lane over its memory cap
    └── on our side
        └── interrupted          the collector process ended in mid-race

A user's Stop is not a failure: its status is `stopped`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """What a person is told. `retry_helps`: whether pressing Retry unchanged can succeed."""

    kind: str
    title: str
    sentence: str
    advice: str
    retry_helps: bool


_ALL = (
    Failure("connect", "No connection", "The address could not be reached.",
            "Check the address and that the server is running; for a local server try 127.0.0.1.", True),
    Failure("auth", "Key refused", "The server did not accept the key.",
            "Check the key and that it may use this model.", False),
    Failure("not_found", "Not found", "The server has no such address or model.",
            "Check the base URL (it usually ends in /v1) and the model name.", False),
    Failure("bad_request", "Request refused", "The server refused the request.",
            "Change the parameter that the server names.", False),
    Failure("rate_limited", "Too many requests", "The server asks to wait.",
            "Wait for the time it names, then retry.", True),
    Failure("server_error", "Server error", "The server, or a gateway in front of it, failed.",
            "Retry; if it stays, the provider has a problem. For a local address check proxy settings.", True),
    Failure("timeout_first_token", "No first token", "Nothing was said within the limit for the first token.",
            "Retry, or raise the limit: a model that is still loading can need minutes.", True),
    Failure("bad_response", "Not a usable stream", "What came back is not a stream of chat chunks.",
            "Check that the base URL is the API and not a web page.", False),
    Failure("stream_error", "Error inside the stream", "The server reported an error in the middle of its stream.",
            "Read the server's message; retry if it was overloaded.", True),
    Failure("connection_lost", "Connection cut", "The connection broke before the answer was complete.",
            "Retry; the text so far is kept. The provider may bill both.", True),
    Failure("timeout_stall", "Stalled", "The stream fell silent for longer than the limit.",
            "Retry, or raise the stall limit.", True),
    Failure("timeout_total", "Took too long", "The whole answer took longer than the limit.",
            "Ask for fewer tokens, or raise the limit.", True),
    Failure("too_large", "Too large", "The answer, or one frame of it, passed the memory limit of a lane.",
            "Lower max tokens.", False),
    Failure("interrupted", "Interrupted", "The measuring process ended in the middle of the race.",
            "Start again; a new process has taken its place.", True),
)  # fmt: skip

FAILURES: dict[str, Failure] = {failure.kind: failure for failure in _ALL}
