"""Tokenizers of backends beside our own: which backends may be asked, and what they answered in this visit.

A model that runs on this machine is asked at once, since nothing leaves it; all others when a person says so. Those
that offer no tokenizer have no place beside ours; whoever asked for them is told why.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from lib.backends.catalogue import Offer
from lib.backends.own_tokenizer import NoTokenizer, OwnTokens, own_tokens
from lib.backends.policy import OPEN, AddressRefused, Policy
from lib.backends.table import SettingsError
from lib.domain.run import Origin
from lib.local_model.models import BACKEND_ID
from lib.ui import race_setup, state
from lib.ui.wiring import policy

ASKED, ANSWERS = "meaning_asked", "meaning_answers"
_HERE_TIMEOUT_S, _TIMEOUT_S = 1.0, 4.0
_KEPT = 32  # answers remembered in one visit


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A backend's own count of the text."""

    name: str
    tokens: OwnTokens


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A backend that was asked and did not tell."""

    name: str
    reason: str


def candidates() -> tuple[list[Offer], list[Offer]]:
    """Live backends that run on this machine and are ours, and all other live ones.

    All forms of the local model have one vocabulary: the first of them that runs speaks for the others.
    """
    live = [one for one in race_setup.offers().values() if one.backend.origin is Origin.LIVE and not one.absent]
    ours = [one for one in live if not one.is_own]
    repeated = [one for one in ours if one.backend.id.startswith(BACKEND_ID)][1:]
    return [one for one in ours if one not in repeated], [one for one in live if one.is_own]


def asked_for(text: str) -> tuple[list[Tokenizer], list[NoAnswer]]:
    """The tokenizers that answered for this text, and the others that a person asked."""
    here, others = candidates()
    asked = others if state.value(ASKED, False) else []
    known = _answers([*here, *asked], text)
    found = [Tokenizer(one.backend.name, answer) for one in [*here, *asked]
             if isinstance(answer := known[_key(one, text)], OwnTokens)]  # fmt: skip
    silent = [NoAnswer(one.backend.name, answer) for one in asked
              if isinstance(answer := known[_key(one, text)], str)]  # fmt: skip
    return found, silent


def _key(offer: Offer, text: str) -> tuple[str, str, str]:
    return offer.backend.id, offer.backend.base_url, text


def _answers(wanted: list[Offer], text: str) -> dict[tuple[str, str, str], OwnTokens | str]:
    """What each said of this text, now or earlier in this visit; a reason where it said nothing."""
    known = dict(state.value(ANSWERS, {}))
    new = [one for one in wanted if _key(one, text) not in known]
    if new:
        with ThreadPoolExecutor(len(new), "tokenizers") as threads:
            rules = [_policy(one) for one in new]
            answers = list(threads.map(lambda pair: _ask(pair[0], text, pair[1]), zip(new, rules, strict=True)))
        for one, answer in zip(new, answers, strict=True):
            known[_key(one, text)] = answer
        state.put(ANSWERS, dict(list(known.items())[-_KEPT:]))
    return known


def _policy(offer: Offer) -> Policy:
    """The operator's own backends are never refused; those a visitor typed are asked as the server allows."""
    typed = {own.backend.id for own in state.own_backends()}
    if offer.backend.id not in typed:
        return OPEN
    try:
        return policy()
    except SettingsError:
        return Policy(loopback_only_server=False)


def _ask(offer: Offer, text: str, rule: Policy) -> OwnTokens | str:
    timeout_s = _TIMEOUT_S if offer.is_own else _HERE_TIMEOUT_S
    backend = offer.backend
    try:
        return own_tokens(backend.base_url, backend.model, offer.key, text, timeout_s, rule)
    except (NoTokenizer, AddressRefused) as error:
        return str(error)
