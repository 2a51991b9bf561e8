"""The one sentence under each heading of "Why it is fast": made by rule from the values that are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from lib import numbers
from lib.i18n import _, ngettext
from lib.limits import kv_cache, prefill, quantisation, roofline, speculation
from lib.limits.capacity import chips_exactly, chips_needed
from lib.limits.kv_cache import kv_bytes_per_token
from lib.limits.layers import layer_us
from lib.limits.tables import Chip, Model
from lib.ui.limits_state import Chosen, gigabytes, machine_words


def ceiling(chosen: Chosen) -> str:
    """What the machine can give one user, and what the wanted speed would take."""
    work = chosen.work()
    if chosen.fewest_chips > chosen.count:
        return _("{model} does not fit: its weights and one user's cache are {size}, and {machine} hold {held}; "
                 "{needed} chips would.").format(
            model=chosen.model_words, size=gigabytes(work.memory_bytes), machine=chosen.machine_words,
            held=gigabytes(chosen.machine.capacity_bytes), needed=numbers.whole(chosen.fewest_chips),
        )  # fmt: skip
    needed = roofline.bandwidth_needed_bytes_s(work, chosen.target_tps)
    count = needed / ((chosen.chip.bandwidth_tb_s or 1) * 1e12)
    return _("{machine} can give one user of {model} at most {rate}, since every token reads {size} from memory; "
             "{wanted} would take {bandwidth} TB/s, the bandwidth of {count} of these chips.").format(
        machine=chosen.machine_words, model=chosen.model_words,
        rate=numbers.rate(roofline.per_user_tps(chosen.machine, work)),
        size=gigabytes(work.read_bytes + work.kv_bytes), wanted=numbers.rate(chosen.target_tps),
        bandwidth=numbers.plain(needed / 1e12), count=numbers.plain(count),
    )  # fmt: skip


def batch(chosen: Chosen) -> str:
    """One user against many."""
    alone, many = (chosen.work(users) for users in (1, chosen.users))
    machine = chosen.machine
    told = _("Alone, a user gets {alone}; {users} at once get {each} each and {total} together.").format(
        alone=numbers.rate(roofline.per_user_tps(machine, alone)), users=numbers.whole(chosen.users),
        each=numbers.rate(roofline.per_user_tps(machine, many)),
        total=numbers.rate(roofline.total_tps(machine, many)),
    )  # fmt: skip
    costs = [roofline.usd_per_million(machine, work) for work in (alone, many)]
    if costs[0] is None or costs[1] is None:
        return told
    return told + " " + _("A million tokens then costs {many} instead of {alone}: speed is bought by leaving the "
                          "machine empty.").format(alone=_usd(costs[0]), many=_usd(costs[1]))  # fmt: skip


def memory(chosen: Chosen) -> str:
    """Whether so many users fit."""
    needed = chosen.work(chosen.users).memory_bytes
    held = chosen.machine.capacity_bytes
    words = _("Weights and {users} caches take {needed} of {held}.") if needed <= held else _(
        "But weights and {users} caches take {needed}, and the machine holds {held}: so many do not fit.")  # fmt: skip
    return words.format(users=numbers.whole(chosen.users), needed=gigabytes(needed), held=gigabytes(held))


def layers(model: Model, bits: float, target_tps: float, sram: Sequence[Chip]) -> str:
    """Time per layer, and how many chips hold the model."""
    bytes_ = model.total_params * bits / 8
    held = [_("{n} × {chip}").format(n=numbers.whole(chips_needed(bytes_, one.capacity_gb)), chip=one.name)
            for one in sram]  # fmt: skip
    return _("{rate} through the {layers} layers of {model} leave {time} µs for each. To hold its weights on the chips "
             "takes {held}.").format(
        rate=numbers.rate(target_tps), layers=model.layers, model=model.name,
        time=numbers.plain(layer_us(target_tps, model.layers)), held=_(" or ").join(held),
    )  # fmt: skip


def roofline_is_meaningless(model: Model, bits: float, sram: Sequence[Chip]) -> str:
    """What the bandwidth roofline would say of these machines: they hold all weights, a token reads the active ones."""
    bytes_, read = (params * bits / 8 for params in (model.total_params, model.active_params))
    told = [
        _("{rate} for {chip}").format(
            rate=numbers.rate((one.bandwidth_tb_s or 0) * 1e12 * chips_exactly(bytes_, one.capacity_gb) / read),
            chip=one.name,
        )
        for one in sram
    ]  # fmt: skip
    return _("The bandwidth roofline is meaningless here: it would allow {told}.").format(
        told=_(" and ").join(told)
    )


def quantised(gains: Sequence[quantisation.Gain]) -> str:
    """The narrowest 4-bit format that was measured, against its ideal."""
    narrow = min((one for one in gains if one.measured and one.format.bits_per_weight >= 4),
                 key=lambda one: one.format.bits_per_weight)  # fmt: skip
    widest = max(gains, key=lambda one: one.format.bits_per_weight)
    return _("{name} is {smaller} smaller than {widest}, but was measured {faster} as fast: {share} of what fewer "
             "bytes alone would give.").format(
        name=narrow.format.name, smaller=numbers.ratio(narrow.ideal), widest=widest.format.name,
        faster=numbers.ratio(narrow.measured or 0), share=numbers.percent(narrow.kept or 0),
    )  # fmt: skip


def cache(model: Model, context: int) -> str:
    """The cache of one request by kind of attention; for a model whose heads are known."""
    heads, kv_heads, dimension = model.heads or 1, model.kv_heads or 1, model.head_dim or 1
    own, whole = (kv_bytes_per_token(model.layers, n, dimension) * context for n in (kv_heads, heads))
    if kv_heads == heads:
        return _("{context} tokens of {model} keep {own} for each user: every one of its {heads} heads has its own "
                 "keys and values.").format(
            context=numbers.whole(context), model=model.name, own=gigabytes(own), heads=heads)  # fmt: skip
    return _("{context} tokens of {model} keep {own} for each user, since its {heads} heads share {kv_heads} sets of "
             "keys and values; with one set per head it would be {whole}.").format(
        context=numbers.whole(context), model=model.name, own=gigabytes(own), heads=heads, kv_heads=kv_heads,
        whole=gigabytes(whole),
    )  # fmt: skip


def paging(chosen: Chosen, reserved: int) -> str:
    """How many users fit when each reserves the longest answer, and when the cache grows page by page."""
    context, free = chosen.context, chosen.machine.capacity_bytes - chosen.work().weight_bytes
    each = chosen.work().kv_bytes
    if free <= 0 or not each:
        return _("No memory is left beside the weights, or the cache of this model is not counted here.")
    contiguous = kv_cache.requests_that_fit(
        free, each / kv_cache.contiguous_use(context, max(context, reserved))
    )
    paged = kv_cache.requests_that_fit(free, each / kv_cache.paged_use(context))
    return _("In the {free} left beside the weights, {contiguous} users fit when each reserves {reserved} tokens, and "
             "{paged} when the cache grows in pages of {block}.").format(
        free=gigabytes(free), contiguous=numbers.whole(contiguous), reserved=numbers.whole(max(context, reserved)),
        paged=numbers.whole(paged), block=kv_cache.BLOCK_TOKENS,
    )  # fmt: skip


def speculating(acceptance: float, cost: float) -> str:
    """The best number of guesses, what it brings, and how the text then arrives."""
    best = speculation.best_k(acceptance, cost)
    gain, burst = speculation.speed_up(acceptance, best, cost), speculation.expected_tokens(acceptance, best)
    if gain <= 1:
        return _("When {share} of the guesses are right and one costs {cost} of a token, guessing only costs time: "
                 "{gain} at best.").format(
            share=numbers.percent(acceptance), cost=numbers.percent(cost), gain=numbers.ratio(gain))  # fmt: skip
    guesses = (
        ngettext("{n} guess is best", "{n} guesses at once are best", best).format(n=best)
        if best < speculation.MOST_K
        else _("{n} guesses or more at once are best").format(n=best)
    )
    return _("When {share} of the guesses are right and one costs {cost} of a token, {guesses}: {gain} as fast, in "
             "bursts of about {burst} tokens.").format(
        share=numbers.percent(acceptance), cost=numbers.percent(cost), guesses=guesses, gain=numbers.ratio(gain),
        burst=numbers.plain(burst),
    )  # fmt: skip


def reading_the_prompt(chosen: Chosen) -> str:
    """How long the prompt takes before the first token can come."""
    flops = chosen.machine.flops
    if flops is None:
        return _("No figure for the arithmetic of {chip} was found, so there is no prefill time.").format(
            chip=chosen.chip.name)  # fmt: skip
    first = prefill.ttft_s(prefill.prefill_s(chosen.context, chosen.model.active_params, flops))
    tps = roofline.per_user_tps(chosen.machine, chosen.work())
    return _("A prompt of {context} tokens takes {machine} {time} to read, as long as writing {tokens} tokens; queue "
             "and network come on top.").format(
        context=numbers.whole(chosen.context), machine=chosen.machine_words, time=numbers.seconds(first),
        tokens=numbers.whole(prefill.break_even_tokens(first, tps)),
    )  # fmt: skip


def reached(name: str, rate_tps: float, ceiling_tps: float, machine: str, model: str, is_known: bool) -> str:
    """A measured lane against the model: the share it reached, or that it is above what the machine could give."""
    share = rate_tps / ceiling_tps
    subject = _("this model ({model})") if is_known else _("{model}, if this lane were that")
    told = subject.format(model=model)
    if share > 1:
        return _("{name} reached {rate}: {ratio} what {machine} could give {told}. It ran on something faster, on "
                 "fewer bytes per token, or guessed ahead.").format(
            name=name, rate=numbers.rate(rate_tps), ratio=numbers.ratio(share), machine=machine, told=told)  # fmt: skip
    return _("{name} reached {share} of what {machine} could give {told}: {rate} of {ceiling}.").format(
        name=name, share=numbers.percent(share), machine=machine, told=told, rate=numbers.rate(rate_tps),
        ceiling=numbers.rate(ceiling_tps),
    )  # fmt: skip


def cannot_hold(name: str, rate_tps: float, compared: Chosen) -> str:
    """A measured lane whose model the machine cannot hold, so that there is no share."""
    return _("{name} reached {rate}; {machine} cannot hold {model}, so there is nothing to set it against.").format(
        name=name, rate=numbers.rate(rate_tps), machine=compared.machine_words, model=model_in_context(compared))  # fmt: skip


def model_in_context(chosen: Chosen) -> str:
    """The model in words, with the context that its cache is counted for."""
    return _("{model}, {context} tokens of context").format(
        model=chosen.model_words, context=numbers.whole(chosen.context)
    )


def assumption(one: Chip | Model) -> str:
    """What to know about a row of the tables that rests on memory; empty for others."""
    if not one.is_assumed:
        return ""
    return _("Assumption: {name}, {verification}.").format(name=one.name, verification=one.verification)


def smallest_machine(one: Chip, needed_bytes: float) -> tuple[int, str]:
    """The fewest of a chip that hold so many bytes, and its words."""
    count = chips_needed(needed_bytes, one.capacity_gb)
    return count, machine_words(one, count)


def _usd(value: float) -> str:
    return numbers.money(Decimal(str(round(value, 4))))
