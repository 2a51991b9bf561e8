"""The memory of what was read so far (the KV cache): its size by kind of attention, and what allocation wastes.

Not counted: caches of another form (latent attention, sliding windows), and copies a server keeps for sharing.
"""

from __future__ import annotations

import math

from lib.limits.tables import Model

BYTES_16_BIT = 2.0
BLOCK_TOKENS = 16  # of vLLM's paged allocation by default


def kv_bytes_per_token(layers: int, kv_heads: int, head_dim: int, bytes_each: float = BYTES_16_BIT) -> float:
    """Bytes that one token adds to the cache: 2 x layers x KV heads x head dimension x bytes.

    Source: Kwon et al. 2023 (arXiv 2309.06180); Scaling Book, chapter on inference. MHA has as many KV heads as
    heads, GQA a few (Ainslie et al. 2023, arXiv 2305.13245), MQA one (Shazeer 2019, arXiv 1911.02150).
    Untrue for latent attention (DeepSeek) and for layers that look back a fixed window only.
    """
    return 2 * layers * kv_heads * head_dim * bytes_each


def kv_bytes(model: Model, context_tokens: float, bytes_each: float = BYTES_16_BIT) -> float:
    """Bytes of the cache of one request; 0 for a model whose cache has another form (the page says so)."""
    if model.kv_heads is None or model.head_dim is None:
        return 0.0
    return kv_bytes_per_token(model.layers, model.kv_heads, model.head_dim, bytes_each) * context_tokens


def contiguous_use(context_tokens: int, reserved_tokens: int) -> float:
    """Share of a contiguous reservation that holds tokens: context / reserved.

    Systems before PagedAttention reserved the longest possible answer for each request (Kwon et al. 2023).
    Untrue where a server grows its reservation, or lets requests share one.
    """
    return min(1.0, context_tokens / reserved_tokens)


def paged_use(context_tokens: int, block_tokens: int = BLOCK_TOKENS) -> float:
    """Share of a paged allocation that holds tokens: context / (blocks x block size).

    Only the last block has empty places (Kwon et al. 2023). Sharing of equal prefixes, which saves more, is
    not counted.
    """
    return context_tokens / (math.ceil(context_tokens / block_tokens) * block_tokens)


def requests_that_fit(memory_bytes: float, bytes_per_request: float) -> int:
    """Whole requests whose cache fits into so much memory."""
    return max(0, math.floor(memory_bytes / bytes_per_request))
