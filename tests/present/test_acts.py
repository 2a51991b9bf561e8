"""The script of a show: what it may hold, and that every mistake names its act and key."""

from __future__ import annotations

import pytest

from lib.present.acts import Act, ActsError, missing, read_acts

RACE = '[[act]]\ntitle = "One"\nprompt = "Tell a story."\nlineup = ["a", "ghost:750"]\n'


def refused(text: str) -> str:
    with pytest.raises(ActsError) as caught:
        read_acts(text.encode())
    return str(caught.value)


def test_a_race_and_a_kept_race_are_read_in_order() -> None:
    found = read_acts(
        (
            RACE
            + 'max_tokens = 300\nreader = "en"\nblind = true\nfallback = "k"\n[[act]]\ntitle = "Two"\nkept = "k"'
        ).encode()
    )
    lineup = ("a", "ghost:750:300")
    assert found == (
        Act("One", "Tell a story.", lineup, 300, "en", True, None, "k"),
        Act("Two", kept="k"),
    )
    assert found[0].runs == ("k",)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("max_tokens = 0", "max_tokens is a whole number"),
        ("max_tokens = true", "max_tokens is a whole number"),
        ('blind = "yes"', "blind is true or false"),
        ('reader = "klingon"', "reader is the id of a reading speed"),
        ('fallback = ""', "fallback is the id of a kept race"),
        ("colour = 1", "unknown key 'colour'"),
        ('kept = "k"', "with kept there can be no prompt"),
    ],
)
def test_a_wrong_value_names_the_act_and_the_key(line: str, key: str) -> None:
    told = refused(RACE + line)
    assert told.startswith('Act 1, "One": ')
    assert key in told


@pytest.mark.parametrize(
    "lineup", ['["a"]', str(["a"] * 9).replace("'", '"'), '"a"', '["a", 1]', '["a", " "]']
)
def test_a_line_up_has_two_to_eight_names(lineup: str) -> None:
    told = refused(f'[[act]]\ntitle = "One"\nprompt = "p"\nlineup = {lineup}')
    assert 'Act 1, "One": lineup is a list of 2 to 8 backends' in told


def test_a_ghost_that_is_none_names_the_act_and_the_form() -> None:
    told = refused('[[act]]\ntitle = "One"\nprompt = "p"\nlineup = ["a", "ghost:fast"]')
    assert told.startswith('Act 1, "One", lineup: "ghost:fast" is no ghost')
    assert "ghost:750:120" in told


@pytest.mark.parametrize("key", ["title", "prompt", "lineup"])
def test_what_an_act_needs_is_named_when_it_is_missing(key: str) -> None:
    lines = [line for line in RACE.splitlines() if not line.startswith(key)]
    assert f"{key} is missing" in refused("\n".join(lines))


@pytest.mark.parametrize("text", ["", "act = 1", "act = []", "act = [1]", "title = 'x'"])
def test_a_file_without_acts_says_how_an_act_begins(text: str) -> None:
    assert "[[act]]" in refused(text)


def test_what_is_no_toml_and_what_stands_outside_of_acts_are_told() -> None:
    assert refused("[[act").startswith("This is not TOML")
    with pytest.raises(ActsError, match="not TOML"):
        read_acts(b"\xff\xfe")
    assert "'speed'" in refused("speed = 1\n" + RACE)


def test_a_script_has_a_most_of_acts_and_bytes() -> None:
    assert "at most 50" in refused(RACE * 51)
    with pytest.raises(ActsError, match="1 MB"):
        read_acts(b"#" * 1_000_001)


def test_backends_and_kept_races_that_are_not_here_are_named_and_ghosts_always_are() -> None:
    acts = read_acts((RACE + 'fallback = "gone"').encode())
    assert missing(acts, {"a"}, {"gone"}) == []
    assert missing(acts, {"b"}, set()) == [
        "Act 1, \"One\", lineup: there is no backend 'a' here",
        "Act 1, \"One\", fallback: there is no kept race 'gone' here",
    ]
