"""The prompt library: every kind comes along and is answered by the simulator; own prompts are kept whole."""

from __future__ import annotations

import json
from dataclasses import replace
from math import lcm
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.own_lines import DATA_VARIABLE, data_folder
from lib.prompts import KINDS, PromptError, SavedPrompt, delete, library, save
from lib.simulator.answers import answer_to, language_of

SHIPPED = [prompt for prompt in library(Path("absent")) if not prompt.is_own]
OWN = SavedPrompt("My question", "Why is the sea salt?", max_tokens=300)


def said(prompt: SavedPrompt) -> str:
    return b"".join(answer_to(prompt.text, max_tokens=prompt.max_tokens).text).decode()


def own(folder: Path) -> list[SavedPrompt]:
    return [prompt for prompt in library(folder) if prompt.is_own]


def test_one_prompt_of_every_kind_comes_along() -> None:
    assert [prompt.kind for prompt in SHIPPED] == [kind for kind in KINDS if kind != "own"]
    assert len({prompt.id for prompt in SHIPPED}) == len({prompt.title for prompt in SHIPPED}) == len(SHIPPED)
    assert all(prompt.max_tokens and prompt.language and prompt.text for prompt in SHIPPED)


@pytest.mark.parametrize(
    ("id", "word"),
    [("short", "moon"), ("long", "lens"), ("code", "def "), ("list", "weather"), ("chinese", "月亮")],
)
def test_the_simulator_has_a_text_for_it_that_fits_in_the_suggested_tokens(id: str, word: str) -> None:
    prompt = next(prompt for prompt in SHIPPED if prompt.id == id)
    assert word in said(prompt).lower()
    assert answer_to(prompt.text, max_tokens=prompt.max_tokens).finish_reason == "stop"


@pytest.mark.parametrize("id", ["reasoning", "agent-step"])
def test_what_the_simulator_cannot_answer_it_answers_with_a_notice(id: str) -> None:
    prompt = next(prompt for prompt in SHIPPED if prompt.id == id)
    assert "simulated" in said(prompt)


def test_the_language_of_each_is_the_one_it_is_written_in() -> None:
    assert {prompt.id: prompt.language[:2] for prompt in SHIPPED} == {
        prompt.id: language_of(prompt.text) for prompt in SHIPPED
    }


def test_the_bells_have_one_right_answer() -> None:
    together = lcm(12, 18, 20)
    pairs = [m for m in range(1, together) if sum(m % each == 0 for each in (12, 18, 20)) == 2]
    assert (together, len(pairs)) == (180, 6)


def test_the_agents_step_says_its_tools_before_the_question() -> None:
    prompt = next(prompt for prompt in SHIPPED if prompt.kind == "agent").prompt
    assert [message["role"] for message in prompt.messages()] == ["system", "user"]
    assert "read_log" in prompt.system


def test_an_own_prompt_is_kept_with_an_id_and_listed_after_the_others(tmp_path: Path) -> None:
    kept = save(OWN, tmp_path)
    assert kept == replace(OWN, id=kept.id)
    assert kept.id
    assert library(tmp_path)[-1] == kept
    assert len(library(tmp_path)) == len(SHIPPED) + 1


def test_saving_under_an_id_changes_that_prompt_in_its_place(tmp_path: Path) -> None:
    first, second = save(OWN, tmp_path), save(replace(OWN, title="Another"), tmp_path)
    save(replace(first, text="Changed?"), tmp_path)
    assert [(prompt.id, prompt.text) for prompt in own(tmp_path)] == [
        (first.id, "Changed?"), (second.id, OWN.text),
    ]  # fmt: skip


def test_a_deleted_prompt_is_gone_and_the_others_stay(tmp_path: Path) -> None:
    first, second = save(OWN, tmp_path), save(OWN, tmp_path)
    delete(first.id, tmp_path)
    assert own(tmp_path) == [second]


@pytest.mark.parametrize("id", ["short", "own-absent", ""])
def test_only_an_own_prompt_can_be_deleted(id: str, tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="of your own"):
        delete(id, tmp_path)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"title": "  "}, "title"),
        ({"title": "x" * 81}, "longer than 80"),
        ({"text": " \n"}, "no text"),
        ({"text": "x" * 400_001}, "400,000"),
        ({"text": "half \ud83d"}, "damaged"),
        ({"kind": "poem"}, "poem"),
        ({"max_tokens": 0}, "from 1 to"),
        ({"max_tokens": 1_000_001}, "from 1 to"),
        ({"id": "short"}, "comes along"),
    ],
)
def test_what_cannot_be_kept_is_said_and_nothing_is_written(
    wrong: dict[str, object], words: str, tmp_path: Path
) -> None:
    with pytest.raises(PromptError, match=words):
        save(replace(OWN, **wrong), tmp_path)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_lines_that_are_no_prompts_are_not_shown_and_not_lost(tmp_path: Path) -> None:
    newer = json.dumps({"id": "own-1", "title": "t", "text": "x", "mood": "of a later version"})
    (tmp_path / "prompts.jsonl").write_text(f"not json\n{newer}\n[]\n\n")
    kept = save(OWN, tmp_path)
    assert own(tmp_path) == [kept]
    delete(kept.id, tmp_path)
    assert (tmp_path / "prompts.jsonl").read_text() == f"not json\n{newer}\n[]\n"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PromptError, match="file"):
        save(OWN, tmp_path / "file")


def test_the_folder_is_the_one_that_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "mine"))
    save(OWN)
    assert (tmp_path / "mine" / "prompts.jsonl").is_file()
    monkeypatch.delenv(DATA_VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert data_folder() == tmp_path / "xdg" / "tokenrace"


text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@given(title=text.filter(lambda t: len(" ".join(t.split())) <= 80), body=text, system=st.text(max_size=20))
def test_every_text_comes_back_as_it_was_saved(
    tmp_path_factory: pytest.TempPathFactory, title: str, body: str, system: str
) -> None:
    folder = tmp_path_factory.mktemp("prompts")
    system = system.encode("utf-8", "ignore").decode()
    kept = save(SavedPrompt(title, body, system), folder)
    assert own(folder) == [kept]
    assert (kept.text, kept.system) == (body, system)
