"""Whose tokenizer is asked: a model of this machine at once, all others only when a person says so."""

from __future__ import annotations

from typing import Any

import pytest

from lib.backends.catalogue import Offer
from lib.backends.own_tokenizer import NoTokenizer, OwnTokens
from lib.backends.policy import AddressRefused
from lib.domain.run import Backend, Origin
from lib.local_model.models import BACKEND_ID
from lib.ui import meaning_backends
from lib.ui.meaning_backends import ASKED, asked_for, candidates


def offer(name: str, origin: Origin = Origin.LIVE, *, is_own: bool = False, absent: str = "") -> Offer:
    return Offer(Backend(name, name, f"http://{name}/v1", "m", origin), absent=absent, is_own=is_own)


OFFERS = [
    offer("here"), offer("starting", absent="It is still starting."), offer("provider", is_own=True),
    offer("ghost", Origin.SIMULATED), offer("tape", Origin.RECORDED), offer("mute", is_own=True),
    offer("refused", is_own=True),
]  # fmt: skip


class Asked:
    """Stands in for the network and the visitor's state."""

    def __init__(self) -> None:
        self.hosts: list[str] = []
        self.state: dict[str, Any] = {}

    def own_tokens(self, base_url: str, _model: str, _key: str, text: str, *_more: Any) -> OwnTokens:
        host = base_url.split("/")[2]
        self.hosts.append(host)
        if host == "mute":
            raise NoTokenizer("It offers no /tokenize (HTTP 404).")
        if host == "refused":
            raise AddressRefused("not allowed")
        return OwnTokens(len(text), None)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked()
    monkeypatch.setattr(meaning_backends, "own_tokens", made.own_tokens)
    monkeypatch.setattr(meaning_backends.race_setup, "offers", lambda: {one.backend.id: one for one in OFFERS})
    monkeypatch.setattr(meaning_backends.state, "value", lambda key, default: made.state.get(key, default))
    monkeypatch.setattr(meaning_backends.state, "put", made.state.__setitem__)
    monkeypatch.setattr(meaning_backends.state, "own_backends", tuple)
    return made


def test_simulated_recorded_and_absent_backends_are_no_candidates(asked: Asked) -> None:
    here, others = candidates()
    assert [one.backend.id for one in here] == ["here"]
    assert [one.backend.id for one in others] == ["provider", "mute", "refused"]


def test_the_forms_of_the_local_model_have_one_tokenizer(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    forms = [offer(f"{BACKEND_ID}-f32"), offer("gguf-other"), offer(f"{BACKEND_ID}-q4_0"), offer(f"{BACKEND_ID}-q8_0")]
    monkeypatch.setattr(meaning_backends.race_setup, "offers", lambda: {one.backend.id: one for one in forms})
    here, _others = candidates()
    assert [one.backend.id for one in here] == [f"{BACKEND_ID}-f32", "gguf-other"]


def test_a_text_goes_to_others_only_when_a_person_says_so(asked: Asked) -> None:
    found, silent = asked_for("a private text")
    assert ([one.name for one in found], silent, asked.hosts) == (["here"], [], ["here"])
    asked.state[ASKED] = True
    found, silent = asked_for("a private text")
    assert [one.name for one in found] == ["here", "provider"]
    assert [(one.name, one.reason.split()[0]) for one in silent] == [("mute", "It"), ("refused", "not")]
    assert sorted(asked.hosts) == ["here", "mute", "provider", "refused"]


def test_the_same_text_is_asked_once_and_another_again(asked: Asked) -> None:
    first, again, (other, _silent) = asked_for("one"), asked_for("one"), asked_for("two words")
    assert (first, [one.tokens.count for one in other]) == (again, [9])
    assert asked.hosts == ["here", "here"]
