"""The page "Why it is fast": each section a sentence, a picture and the formula behind it.

Numbers come from `lib.limits`, sentences from `limits_words.py`; what runs live is in `limits_pairs.py` and
`limits_sweep.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from altair.utils.schemapi import debug_mode

from lib import numbers
from lib.charts.drawing import Figure, Words
from lib.charts.limit_charts import Axis, Bar, Curve, Mark, bar_chart, line_chart
from lib.i18n import _
from lib.limits import layers, roofline
from lib.limits.capacity import chips_exactly
from lib.limits.knee import knee_of_roofline
from lib.limits.roofline import Machine
from lib.limits.tables import chips, layer_speeds
from lib.ui import limits_words
from lib.ui.limits_measured import show_measured
from lib.ui.limits_sections import show_cache, show_prefill, show_quantisation, show_speculation
from lib.ui.limits_show import COLUMN_PX, show_figure, show_formula, show_heading
from lib.ui.limits_state import BATCHES, USERS, begin, chosen, look, show_pickers
from lib.ui.markdown import plain


def show_limits() -> None:
    """Pickers, measured lanes over the model, and every section."""
    begin()
    show_pickers()
    now = chosen()
    for sentence in filter(None, (limits_words.assumption(now.chip), limits_words.assumption(now.model))):
        st.caption(plain(sentence))
    show_measured(now)
    sections: tuple[Callable[[], None], ...] = (
        _show_ceilings, _show_batch, show_speculation, show_quantisation, _show_layers, show_cache, show_prefill,
    )  # fmt: skip
    with st.grid(2, min_column_width=COLUMN_PX, gap="large"):
        for section in sections:
            with st.container():
                section()


def _show_ceilings() -> None:
    now = chosen()
    show_heading(_("What memory bandwidth allows"), limits_words.ceiling(now))
    show_figure(_ceilings())
    show_formula(
        _("tokens/s ≤ bandwidth / (bytes of the weights read + bytes of the cache)"),
        _("Scaling Book, chapter on inference (jax-ml.github.io/scaling-book). Chips: lib/data/hardware.csv, models: "
          "lib/data/limit_models.csv, each row with its source; lighter bars rest in part on memory."),
        _("An upper bound: engines reach 60 to 97 % of it, several chips also wait for each other. A mixture of "
          "experts reads its active parameters only, as long as one user is alone. With guesses (speculation) one "
          "reading gives several tokens. Says nothing about machines that keep the weights in SRAM."),
    )  # fmt: skip


def _ceilings() -> Figure | None:
    now = chosen()
    bars = []
    for place, one in enumerate(
        one for one in chips() if one.bandwidth_tb_s and not one.keeps_weights_in_sram
    ):
        is_chosen = one.id == now.chip.id
        count, machine = limits_words.smallest_machine(one, now.work().memory_bytes)
        if is_chosen and now.count > count:
            count, machine = now.count, now.machine_words
        rate = roofline.per_user_tps(Machine.of(one, count), now.work())
        bars.append(
            (place, Bar(machine, rate, numbers.rate(rate), 0 if is_chosen else 5, None, one.is_assumed))
        )
    ordered = [bar for _place, bar in sorted(bars, key=lambda pair: -pair[1].value)]
    words = Words(
        _("Most that one user can get"),
        _("{model}, {context} tokens of context\nthe fewest chips that hold it; "
          "your choice in the first colour; lighter: in part from memory").format(
            model=now.model_words, context=numbers.whole(now.context)),
    )  # fmt: skip
    wanted = Mark(now.target_tps, _("wanted: {rate}").format(rate=numbers.rate(now.target_tps)))
    with debug_mode(False):
        return bar_chart(ordered, _("tokens per second for one user"), words, look(), [wanted])


def _show_batch() -> None:
    now = chosen()
    show_heading(_("One user or many"), f"{limits_words.batch(now)} {limits_words.memory(now)}")
    show_figure(_batch_speeds())
    st.select_slider(_("Users at once"), BATCHES, key=USERS, persist_state="session")
    show_figure(_batch_costs())
    show_formula(
        _("step = users × cache / bandwidth + max(2 × users × active parameters / FLOPs, weights read / bandwidth); "
          "per user 1 / step, together users / step; the knee is where the product of both is largest"),
        _("Scaling Book, chapter on inference; the knee: Kleinrock 1979 (power = throughput / delay). Price per "
          "hour: HF devidasmishra/ai-inference-hardware-economics-2026."),
        _("All users have the same context, every place is always taken, prefill is free. A mixture of experts reads "
          "more experts the more users there are; here tokens choose them evenly, which is an assumption."),
    )  # fmt: skip


def _batch_speeds() -> Figure | None:
    now = chosen()
    machine = now.machine
    alone, together = (
        [(float(users), rate(machine, now.work(users))) for users in BATCHES]
        for rate in (roofline.per_user_tps, roofline.total_tps)
    )
    marks = [Mark(float(now.users), _("{n} users").format(n=numbers.whole(now.users)))]
    knee = knee_of_roofline(machine, now.work())
    if knee and 1 < knee < BATCHES[-1]:
        marks.append(Mark(knee, _("knee: {n} users").format(n=numbers.whole(knee))))
    words = Words(_("Speed against the number of users"), f"{now.machine_words}\n{now.model_words}")
    curves = [Curve(_("all together"), together, 1), Curve(_("each user"), alone, 0)]
    with debug_mode(False):
        return line_chart(
            curves, Axis(_("users at once"), True), Axis(_("tokens per second"), True), words, look(), marks
        )


def _batch_costs() -> Figure | None:
    now = chosen()
    costs = [(float(users), cost) for users in BATCHES
             if (cost := roofline.usd_per_million(now.machine, now.work(users))) is not None]  # fmt: skip
    words = Words(_("Rent of the machine per million output tokens"),
                  _("{price} per chip and hour").format(price=f"${now.chip.usd_per_h}"))  # fmt: skip
    curve = Curve(_("rent per million tokens"), costs, 2)
    with debug_mode(False):
        return line_chart(
            [curve] if costs else [],
            Axis(_("users at once"), True),
            Axis(_("US dollars"), True),
            words,
            look(),
        )


def _show_layers() -> None:
    now = chosen()
    sram = [one for one in chips() if one.keeps_weights_in_sram]
    show_heading(
        _("Machines that keep the weights on the chip"),
        limits_words.layers(now.model, now.bits, now.target_tps, sram)
        + " "
        + limits_words.roofline_is_meaningless(now.model, now.bits, sram),
    )
    bars = [
        Bar(one.name, us, _("{us} µs per layer").format(us=numbers.plain(us)), 3, None, one.is_assumed)
        for one in layer_speeds()
        if (us := layers.layer_us(one.tps, one.layers))
    ]
    words = Words(_("Time for each layer"), _("from told speeds; lighter: the number of layers is assumed"))
    with debug_mode(False):
        show_figure(bar_chart(bars, _("microseconds"), words, look()))
    bytes_, read = now.work().weight_bytes, now.work().read_bytes
    bounds = [
        _("{chip} {rate}").format(chip=one.name, rate=numbers.rate(layers.pipelined_tps(
            (one.bandwidth_tb_s or 0) * 1e12 * chips_exactly(bytes_, one.capacity_gb), read, now.model.layers)))
        for one in sram
    ]  # fmt: skip
    show_formula(
        _("time per layer = 1 / (tokens/s × layers); bound of a pipeline = summed bandwidth / (weights × layers): "
          "{bounds}").format(bounds=", ".join(bounds)),
        "; ".join(dict.fromkeys(one.source for one in layer_speeds())),
        _("The time per layer is read off from speeds, it foretells none. The bound of a pipeline is an assumption "
          "of our own (1/layers of the SRAM works for a token at any moment) and lies 3 to 14 times above what "
          "is measured."),
    )  # fmt: skip
