"""What the truth server says: the model name is the configuration, the text is known to the byte.

`m-t200-r750-n500-k1` = first token after 200 ms, then 750 tokens/s, 500 tokens, 1 token per chunk;
`-x3` at the end only tells lanes apart. Further options: the fields of `Spec`.
Every word is one token of o200k_base (and cl100k_base) with its leading blank, every 76th token is a
paragraph break, so the text of any stream can be rebuilt from its number of tokens. No sockets here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_LINES = """
the keeper climbed slowly each evening carrying oil toward lamp and light across dark water while
wind moved over rocks below a small boat came near shore with bread salt news from town people
waited there because storm season began early that year every hour he counted turns cleaned glass
wrote down weather then watched until morning when ships passed safely beyond point his family lived
inside stone house beside garden where potatoes grew between walls children learned reading letters
at table winter nights were long but work gave them rhythm one man slept another stood watch neither
could leave before sunrise came she kept records in careful hand noting each vessel direction speed
color flag number sometimes writing only clear sky calm sea after many years steel towers replaced
wooden ones electric power arrived machines took place of hands yet some stories remain old maps
show lines drawn by those who measured depth using rope lead simple tools good eyes strong arms
patient minds far away cities grew bright roads joined villages trains carried mail under mountains
through valleys along rivers into ports today visitors walk up narrow stairs look out ask questions
about life alone far from markets schools doctors friends music
"""
_WORDS = [f" {word}" for word in _LINES.split()]
PARAGRAPH = 75
TOKENS: tuple[str, ...] = tuple(
    piece
    for start in range(0, len(_WORDS), PARAGRAPH)
    for piece in (*_WORDS[start : start + PARAGRAPH], "\n\n")
)


@dataclass(frozen=True, slots=True)
class Spec:
    """One stream as its model name asks for it."""

    ttft_ms: float = 200.0
    rate_tps: float = 750.0
    tokens: int = 500
    tokens_per_chunk: int = 1
    thinking: int = 0  # the first so many tokens are `reasoning_content`
    role: int = 2  # role-only chunk: 0 none, 1 right before the first token, 2 at once
    usage: int = 9  # 0 never, 1 always, 9 when stream_options asks
    late_headers: bool = False  # `-h0`: response headers only with the first token
    label: int = 0  # `-x3`: which lane asks; changes nothing

    @property
    def name(self) -> str:
        """The model name that asks for this stream."""
        name = f"m-t{self.ttft_ms:g}-r{self.rate_tps:g}-n{self.tokens}-k{self.tokens_per_chunk}"
        headers = 0 if self.late_headers else 1
        extras = {"rn": self.thinking, "role": self.role, "u": self.usage, "h": headers, "x": self.label}
        usual = {"rn": 0, "role": 2, "u": 9, "h": 1, "x": 0}
        return name + "".join(f"-{key}{value}" for key, value in extras.items() if value != usual[key])

    @property
    def chunks(self) -> int:
        """Number of chunks that carry text."""
        return self.tokens // self.tokens_per_chunk

    def due_ns(self, chunk: int) -> int:
        """When chunk number `chunk` is due, in ns since the request was read: ttft + chunk * k / rate."""
        return round(self.ttft_ms * 1e6 + chunk * self.tokens_per_chunk * 1e9 / self.rate_tps)


def parse_spec(name: str) -> Spec:
    """The stream that a model name asks for. Raises ValueError for any other name."""
    if not re.fullmatch(r"m(-[a-z]+[\d.]+)+", name):
        raise ValueError(f"no such model: {name}")
    values = {key: float(value) for key, value in re.findall(r"-([a-z]+)([\d.]+)", name)}
    if unknown := values.keys() - {"t", "r", "n", "k", "rn", "role", "u", "h", "x"}:
        raise ValueError(f"unknown option {sorted(unknown)} in {name}")
    usual = Spec()
    spec = Spec(
        ttft_ms=values.get("t", usual.ttft_ms),
        rate_tps=values.get("r", usual.rate_tps),
        tokens=int(values.get("n", usual.tokens)),
        tokens_per_chunk=int(values.get("k", usual.tokens_per_chunk)),
        thinking=int(values.get("rn", usual.thinking)),
        role=int(values.get("role", usual.role)),
        usage=int(values.get("u", usual.usage)),
        late_headers=values.get("h", 1) == 0,
        label=int(values.get("x", usual.label)),
    )
    if spec.tokens % spec.tokens_per_chunk or spec.thinking % spec.tokens_per_chunk:
        raise ValueError("tokens must fill whole chunks")
    return spec


def text_of(tokens: int) -> str:
    """The whole text of a stream of so many tokens."""
    rounds, rest = divmod(tokens, len(TOKENS))
    return "".join(TOKENS) * rounds + "".join(TOKENS[:rest])


def letters_before(tokens: int) -> list[int]:
    """For i = 0..tokens: how many characters that are not white space the first i tokens have."""
    counts = [0]
    lengths = [len(token.strip()) for token in TOKENS]
    for index in range(tokens):
        counts.append(counts[-1] + lengths[index % len(lengths)])
    return counts


def http_chunk(body: bytes) -> bytes:
    """One chunk of HTTP's chunked transfer encoding."""
    return b"%x\r\n%s\r\n" % (len(body), body)


def sse(model: str, delta: dict[str, str], finish: str | None = None) -> bytes:
    """One server-sent event with one choice, in OpenAI's shape."""
    return _event(model, {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def closing(model: str, spec: Spec, usage_asked: bool) -> bytes:
    """Everything after the last token, as one write: finish, usage when it is wanted, [DONE], end of body."""
    events = [sse(model, {}, "stop")]
    if spec.usage == 1 or (spec.usage == 9 and usage_asked):
        usage = {
            "prompt_tokens": 10,
            "completion_tokens": spec.tokens,
            "total_tokens": 10 + spec.tokens,
            "completion_tokens_details": {"reasoning_tokens": spec.thinking},
        }
        events.append(_event(model, {"choices": [], "usage": usage}))
    return b"".join(map(http_chunk, [*events, b"data: [DONE]\n\n"])) + b"0\r\n\r\n"


class TokenEvents:
    """The writes that carry text, one per chunk; made when first wanted, kept for the next cycle."""

    def __init__(self, model: str, spec: Spec) -> None:
        self._model, self._spec = model, spec
        self._thinking = spec.thinking // spec.tokens_per_chunk
        self._events: list[bytes] = []

    def __getitem__(self, chunk: int) -> bytes:
        if chunk >= self._thinking + len(TOKENS):
            chunk = self._thinking + (chunk - self._thinking) % len(TOKENS)
        while chunk >= len(self._events):
            delta = _delta(self._spec, len(self._events))
            self._events.append(http_chunk(sse(self._model, delta)))
        return self._events[chunk]


def _delta(spec: Spec, chunk: int) -> dict[str, str]:
    first = chunk * spec.tokens_per_chunk
    text = "".join(TOKENS[(first + i) % len(TOKENS)] for i in range(spec.tokens_per_chunk))
    return {"reasoning_content" if first < spec.thinking else "content": text}


def _event(model: str, body: dict[str, object]) -> bytes:
    head = {"id": "chatcmpl-truth", "object": "chat.completion.chunk", "created": 1700000000, "model": model}
    return b"data: " + json.dumps({**head, **body}, separators=(",", ":")).encode() + b"\n\n"
