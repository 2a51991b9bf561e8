"""Three tables of the page "What it means": rules of thumb, English against Chinese, how long people wait."""

from __future__ import annotations

from lib import numbers
from lib.i18n import _
from lib.meaning import parallel
from lib.meaning.conversions import TextSpeed
from lib.meaning.parallel import Pair
from lib.meaning.rules import Rule, measured, of_text, rules
from lib.metrics.quantity import Unavailable
from lib.prices import PublishedPrice
from lib.response_limits import ResponseLimit, response_limits
from lib.ui import meaning_words
from lib.ui.meaning_cells import Remarks, Row, Table, absent, row, table, text
from lib.ui.meaning_state import Chosen, output_price


def rules_table(now: Chosen, speed: TextSpeed | None) -> Table:
    """What is usually said, beside what is measured."""
    remarks = Remarks()
    head = [
        (_("Rule of thumb"), ""),
        (_("measured"), _("the mean of several texts with {encoding}, and the least and the most of them").format(
            encoding=now.encoding)),
        (_("this text"), ""), (_("verdict"), ""),
    ]  # fmt: skip
    return table(head, [_rule_row(rule, now, speed, remarks) for rule in rules()], remarks, left=(3,))


def parallel_table(now: Chosen, pairs: list[Pair | Unavailable], price: PublishedPrice | None) -> Table:
    """The same content in English and Chinese: tokens, time at the speed, cost at the price."""
    remarks = Remarks()
    told = meaning_words.tps(now.tps)
    tokens_help = _("tokens of {encoding}").format(encoding=now.encoding)
    cost_help = f"{price.source}, {price.since.isoformat()}" if price is not None else ""
    head = [
        (_("The same content"), ""), (_("English"), tokens_help, _("English, tokens")),
        (_("Chinese"), tokens_help, _("Chinese, tokens")), (_("Chinese takes"), ""),
        (_("English"), "", _("English, time")), (_("Chinese"), "", _("Chinese, time")),
        (_("English"), cost_help, _("English, cost")), (_("Chinese"), cost_help, _("Chinese, cost")),
    ]  # fmt: skip
    groups = [("", 1), (tokens_help, 3), (_("time at {speed}").format(speed=told), 2), (_("cost as output"), 2)]
    rows = [_pair_row(pair, now, price) for pair in pairs if isinstance(pair, Pair)]
    for missing in pairs:
        if isinstance(missing, Unavailable):
            remarks.say(missing.reason)
    if price is not None:
        remarks.say(_("The cost holds where {model} counts as {encoding} does. Price: {source}, {day}.").format(
            model=price.model, encoding=now.encoding, source=price.source, day=price.since.isoformat()))  # fmt: skip
    return table(head, rows, remarks, groups=groups)


def limits_table(now: Chosen, speed: TextSpeed | None) -> Table:
    """How long people wait gladly, and what the speed makes of that time; the sources are the notes."""
    remarks = Remarks()
    head = [
        (_("A wait of"), ""), (_("means"), ""),
        (_("{speed} makes of it").format(speed=meaning_words.tps(now.tps)), _("text as above")),
    ]  # fmt: skip
    rows = [_limit_row(limit, now, speed, remarks) for limit in response_limits()]
    return table(head, rows, remarks, left=(1,))


def _rule_row(rule: Rule, now: Chosen, speed: TextSpeed | None, remarks: Remarks) -> Row:
    found = measured(rule, now.encoding)
    own: float | Unavailable = Unavailable(_("There is no text to count."))
    if speed is not None:
        own = of_text(rule, speed.facts.language, speed.facts.units, speed.tokens)
    here = absent(own, remarks) if isinstance(own, Unavailable) else text(meaning_words.rule_value(rule, own))
    if isinstance(found, Unavailable):
        return row(rule.said, absent(found, remarks), here, text(""))
    told = meaning_words.verdict(rule, found, now)
    return row(rule.said, text(meaning_words.rule_measured(rule, found)), here, text(told))


def _pair_row(pair: Pair, now: Chosen, price: PublishedPrice | None) -> Row:
    both = (pair.english_tokens, pair.chinese_tokens)
    counted = [text(numbers.whole(count)) for count in both]
    waited = [text(numbers.seconds(parallel.seconds(count, now.tps))) for count in both]
    ratio = text(f"{pair.times:.2f}×")
    if price is None:
        unknown = text(_("no price chosen"))
        return row(pair.title, *counted, ratio, *waited, unknown, unknown)
    paid = [text(numbers.money(parallel.cost(count, output_price(price)), price.prices.currency)) for count in both]
    return row(pair.title, *counted, ratio, *waited, *paid)


def _limit_row(limit: ResponseLimit, now: Chosen, speed: TextSpeed | None, remarks: Remarks) -> Row:
    wait = _("{n} s").format(n=f"{limit.lo_s:g}")
    if limit.hi_s is not None:
        wait = _("{lo} to {hi} s").format(lo=f"{limit.lo_s:g}", hi=f"{limit.hi_s:g}")
    longest_s = limit.hi_s or limit.lo_s
    made = numbers.tokens(int(numbers.rounded(now.tps * longest_s)))
    if speed is not None:
        written = meaning_words.units(int(numbers.rounded(speed.units_per_s * longest_s)), speed.facts.unit)
        made = _("{tokens}, {text}").format(tokens=made, text=written)
    told = _("{label}. {meaning}").format(label=limit.label.capitalize(), meaning=limit.meaning)
    return row(wait, text(told, remarks.number(limit.source)), text(made))
