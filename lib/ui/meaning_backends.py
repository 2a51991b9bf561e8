"""Tokenizers of backends beside our own: which backends may be asked, and what they answered in this visit.

A model that runs on this machine is asked at once, since nothing leaves it; all others when a person says so. A
backend that offers no tokenizer is not shown.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from lib.backends.catalogue import Offer
from lib.backends.own_tokenizer import NoTokenizer, OwnTokens, own_tokens
from lib.backends.policy import OPEN, AddressRefused, Policy
from lib.backends.table import SettingsError
from lib.domain.run import Origin
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


def candidates() -> tuple[list[Offer], list[Offer]]:
    """Live backends that run on this machine and are ours, and all other live ones."""
    live = [one for one in race_setup.offers().values() if one.backend.origin is Origin.LIVE and not one.absent]
    return [one for one in live if not one.is_own], [one for one in live if one.is_own]


def asked_for(text: str) -> list[Tokenizer]:
    """The tokenizers that answered for this text."""
    here, others = candidates()
    wanted = [*here, *(others if state.value(ASKED, None) else [])]
    known = dict(state.value(ANSWERS, {}))
    new = [one for one in wanted if (one.backend.id, one.backend.base_url, text) not in known]
    if new:
        with ThreadPoolExecutor(len(new), "tokenizers") as threads:
            rules = [_policy(one) for one in new]
            answers = list(threads.map(lambda pair: _ask(pair[0], text, pair[1]), zip(new, rules, strict=True)))
        for one, answer in zip(new, answers, strict=True):
            known[one.backend.id, one.backend.base_url, text] = answer
        state.put(ANSWERS, dict(list(known.items())[-_KEPT:]))
    found = [(one.backend.name, known.get((one.backend.id, one.backend.base_url, text))) for one in wanted]
    return [Tokenizer(name, answer) for name, answer in found if answer is not None]


def _policy(offer: Offer) -> Policy:
    """The operator's own backends are never refused; those a visitor typed are asked as the server allows."""
    typed = {own.backend.id for own in state.own_backends()}
    if offer.backend.id not in typed:
        return OPEN
    try:
        return policy()
    except SettingsError:
        return Policy(loopback_only_server=False)


def _ask(offer: Offer, text: str, rule: Policy) -> OwnTokens | None:
    timeout_s = _TIMEOUT_S if offer.is_own else _HERE_TIMEOUT_S
    backend = offer.backend
    try:
        return own_tokens(backend.base_url, backend.model, offer.key, text, timeout_s, rule)
    except (NoTokenizer, AddressRefused):
        return None
