"""Sections of "Why it is fast" with sliders of their own: speculation, width of weights, cache, prompt."""

from __future__ import annotations

import streamlit as st
from altair.utils.schemapi import debug_mode

from lib import numbers
from lib.charts.drawing import Figure, Words
from lib.charts.limit_charts import DASHED, Axis, Bar, Curve, Mark, bar_chart, line_chart
from lib.i18n import _
from lib.limits import kv_cache, prefill, quantisation, speculation
from lib.limits.tables import formats, model
from lib.ui import limits_words, state
from lib.ui.limits_show import show_figure, show_formula, show_heading
from lib.ui.limits_state import ACCEPTANCE, CONTEXTS, DRAFT, GROUP, RESERVED, chosen, look

_OTHERS = (0.5, 0.9)
_MOST_K = 16
_KINDS_FOR = "llama-3.1-70b"  # drawn where the chosen model's cache has another form


def show_speculation() -> None:
    """Guess ahead, check at once."""
    acceptance, cost = float(state.value(ACCEPTANCE, 0.7)), float(state.value(DRAFT, 0.05))
    show_heading(_("Guessing ahead (speculative decoding)"), limits_words.speculating(acceptance, cost))
    show_figure(_speculation(acceptance, cost))
    st.slider(
        _("Share of guesses that are right"), 0.0, 0.99, key=ACCEPTANCE, step=0.01, persist_state="session"
    )
    st.slider(
        _("Time of one guess, of one token of the large model"), 0.0, 1.0, key=DRAFT, step=0.01,
        persist_state="session",
    )  # fmt: skip
    show_formula(
        _("speed-up = (1 − aᵏ⁺¹) / (1 − a) / (k c + 1), with a the share of right guesses, k guesses at once, c the "
          "time of a guess"),
        _("Leviathan et al. 2023, arXiv 2211.17192, Theorem 3.8; Chen et al. 2023, arXiv 2302.01318."),
        _("Every guess is right with the same chance, and checking many costs as much as making one token: true for "
          "few users, false for large batches. Counter-example: 21 % right and 1.03× (xifan-zhang/EventGPT)."),
    )  # fmt: skip


def _speculation(acceptance: float, cost: float) -> Figure | None:
    best = speculation.best_k(acceptance, cost)
    shares = [(acceptance, 0, ""), *((other, 5 + n, DASHED) for n, other in enumerate(_OTHERS))]
    curves = [
        Curve(_("{share} right").format(share=numbers.percent(share)),
              [(float(k), speculation.speed_up(share, k, cost)) for k in range(1, _MOST_K + 1)],
              place, line or "solid", has_points=not line)
        for share, place, line in shares
    ]  # fmt: skip
    marks = [Mark(float(best), _("best: {n}").format(n=best))] if best <= _MOST_K else []
    words = Words(_("Speed-up against guesses at once"),
                  _("a guess costs {cost} of a token; 1× is decoding without guesses").format(
                      cost=numbers.percent(cost)))  # fmt: skip
    with debug_mode(False):
        return line_chart(curves, Axis(_("guesses at once")), Axis(_("times as fast")), words, look(), marks)


def show_quantisation() -> None:
    """Fewer bits per weight, as the bytes promise and as it was measured."""
    group = str(state.value(GROUP, "llama-3.1-8b"))
    gains = quantisation.gains(formats(), group)
    show_heading(_("Fewer bits per weight (quantisation)"), limits_words.quantised(gains))
    bars = [
        Bar(_("{name}, {bits} bits per weight").format(
                name=one.format.name, bits=numbers.plain(one.format.bits_per_weight)),
            one.measured, _("{measured} of {ideal}").format(
                measured=numbers.ratio(one.measured), ideal=numbers.ratio(one.ideal)), 4, one.ideal)
        for one in gains if one.measured is not None
    ]  # fmt: skip
    words = Words(_("Measured speed-up, and the ideal"),
                  _("bar: measured beside the widest; dashed outline: as the bytes promise"))  # fmt: skip
    with debug_mode(False):
        show_figure(bar_chart(bars, _("times as fast as the widest"), words, look()))
    groups = {
        "llama-3.1-8b": _("Llama 3.1 8B, published"),
        "smollm2-135m": _("SmolLM2 135M, on two cores here"),
    }
    st.segmented_control(
        _("Measured on"), list(groups), key=GROUP, format_func=lambda name: groups[name], required=True,
        persist_state="session",
    )  # fmt: skip
    computed = ", ".join(
        _("{name} {bits}").format(name=one.name, bits=f"{one.bits_per_weight:.3f}")
        for one in formats() if one.group == "computed"
    )  # fmt: skip
    show_formula(
        _("ideal speed-up = bits of the widest / bits; bits with scales = bits + (scale + zero point) / group size: "
          "{computed}").format(computed=computed),
        "; ".join(dict.fromkeys(one.source for one in formats() if one.group == group)),
        _("Unpacking and fixed costs eat part of the gain, and a batch that is compute-bound gains nothing. A "
          "range of several runs counts by its geometric middle. Nothing is said about quality."),
    )  # fmt: skip


def show_cache() -> None:
    """The cache of what was read, by kind of attention, and how it is allotted."""
    now, shown = chosen(), chosen().model
    counted = shown.kv_heads is not None
    shown = shown if counted else model(_KINDS_FOR)
    told = "" if counted else _("The cache of {model} has another form and is not counted here. ").format(
        model=now.model.name)  # fmt: skip
    show_heading(_("What was read so far (KV cache)"), told + limits_words.cache(shown, now.context))
    heads, kv_heads, dimension = shown.heads or 1, shown.kv_heads or 1, shown.head_dim or 1
    kinds = [
        (_("MHA: {n} sets, one per head"), heads),
        (_("GQA: {n} sets"), kv_heads),
        (_("MQA: one set"), 1),
    ]
    curves = [
        Curve(name.format(n=n), [(float(tokens), kv_cache.kv_bytes_per_token(shown.layers, n, dimension) * tokens / 1e9)
                                 for tokens in CONTEXTS], place)
        for place, (name, n) in enumerate(kinds) if n not in [other for _name, other in kinds[:place]]
    ]  # fmt: skip
    words = Words(_("Cache of one user"), _("{model}, 16 bits").format(model=shown.name))
    mark = Mark(float(now.context), _("{n} tokens").format(n=numbers.whole(now.context)))
    with debug_mode(False):
        show_figure(line_chart(
            curves, Axis(_("tokens of context"), True), Axis(_("GB"), True), words, look(), [mark]))  # fmt: skip
    st.markdown(limits_words.paging(now, int(state.value(RESERVED, 8192))))
    st.select_slider(_("Tokens reserved for each user"), CONTEXTS, key=RESERVED, format_func=numbers.whole,
                     persist_state="session")  # fmt: skip
    show_formula(
        _("bytes = 2 × layers × sets × head dimension × tokens × bytes per number; in pages, only the last page of "
          "16 tokens has empty places"),
        _("Kwon et al. 2023, arXiv 2309.06180 (PagedAttention: older systems waste 60 to 80 %, pages under 4 %, vLLM "
          "blog 2023-06-20); Ainslie et al. 2023, arXiv 2305.13245 (GQA); Shazeer 2019, arXiv 1911.02150 (MQA)."),
        _("Latent attention (DeepSeek) and layers with a fixed window keep less. Users that share a prompt can share "
          "pages, which is not counted."),
    )  # fmt: skip


def show_prefill() -> None:
    """The prompt before the first token."""
    now = chosen()
    show_heading(_("Before the first token (prefill)"), limits_words.reading_the_prompt(now))
    flops = now.machine.flops
    if flops is not None:
        points = [(float(n), prefill.prefill_s(n, now.model.active_params, flops) * 1000) for n in CONTEXTS]
        words = Words(_("Time to read the prompt"), f"{now.machine_words}\n{now.model_words}")
        mark = Mark(float(now.context), _("{n} tokens").format(n=numbers.whole(now.context)))
        curve = Curve(_("whole prompt, nothing cached"), points, 6)
        with debug_mode(False):
            show_figure(line_chart(
                [curve], Axis(_("tokens of prompt"), True), Axis(_("milliseconds"), True, per_s=1000.0), words, look(),
                [mark]))  # fmt: skip
    show_formula(
        _("TTFT = queue + network + 2 × active parameters × prompt tokens / (FLOPs × {mfu})").format(
            mfu=numbers.percent(prefill.MFU)),
        _("Scaling Book, chapter on inference."),
        _("Assumption: a prefill reaches {mfu} of the peak arithmetic in 16 bits. Attention's own arithmetic is left "
          "out, which matters from some ten thousand tokens on. A prefix cache skips what it holds.").format(
            mfu=numbers.percent(prefill.MFU)),
    )  # fmt: skip
