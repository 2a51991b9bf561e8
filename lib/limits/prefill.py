"""Reading the prompt: the part of the time to first token that arithmetic decides."""

from __future__ import annotations

MFU = 0.5  # assumption: share of the peak arithmetic that a prefill reaches


def prefill_s(prompt_tokens: float, active_params: float, flops: float, mfu: float = MFU) -> float:
    """Time to read a prompt, s: 2 x parameters x tokens / (FLOPs x MFU).

    Source: Scaling Book, chapter on inference. Attention's own arithmetic is left out, which matters from some
    ten thousand tokens on; `mfu` is an assumption.
    """
    return 2 * active_params * prompt_tokens / (flops * mfu)


def ttft_s(prefill: float, queue_s: float = 0.0, network_s: float = 0.0, cached_share: float = 0.0) -> float:
    """Time to first token, s: queue + network + prefill of what is not in the prefix cache."""
    return queue_s + network_s + prefill * (1 - cached_share)


def effective_tps(tokens: float, ttft: float, decode_tps: float) -> float:
    """Tokens/s over the whole answer, waiting included: tokens / (TTFT + tokens / decode rate)."""
    return tokens / (ttft + tokens / decode_tps)


def break_even_tokens(ttft: float, decode_tps: float) -> float:
    """Length of an answer that takes as long to write as its first token took: TTFT x decode rate."""
    return ttft * decode_tps
