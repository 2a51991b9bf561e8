"""Who may come in: what a provider says about a person against what the operator allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from lib.backends.admission import SignIn
from lib.backends.settings import sign_in
from lib.backends.table import SettingsError

CLOSED = SignIn(True, ("ann@example.org", "@Example.com"))
ANN = {"is_logged_in": True, "email": "Ann@example.org"}


@pytest.mark.parametrize(
    "user", [ANN, ANN | {"email_verified": True}, {"is_logged_in": True, "email": "bob@example.com"}]
)
def test_a_listed_address_and_a_listed_domain_come_in(user: dict[str, object]) -> None:
    assert CLOSED.admits(user)


@pytest.mark.parametrize(
    "user",
    [
        {},
        {"email": "ann@example.org"},
        ANN | {"is_logged_in": "true"},
        ANN | {"email_verified": False},
        ANN | {"email_verified": "false"},
        ANN | {"email": "ann@example.org.elsewhere.example"},
        ANN | {"email": "ann@sub.example.com"},
        ANN | {"email": "bob@example.org"},
        ANN | {"email": "@example.com"},
        ANN | {"email": None},
        {"is_logged_in": True, "name": "ann@example.org"},
    ],
)
def test_nobody_else_comes_in(user: dict[str, object]) -> None:
    assert not CLOSED.admits(user)


def test_without_a_list_anybody_who_signed_in_comes_in_and_without_a_sign_in_everybody() -> None:
    assert SignIn(True).admits({"is_logged_in": True})
    assert not SignIn(True).admits({})
    assert SignIn().admits({})


def test_any_file_that_asks_for_a_sign_in_is_obeyed(tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text('[tokenrace]\nsign_in = true\nallowed_emails = ["@example.org"]\n', "utf-8")
    two.write_text("[tokenrace]\nshared = true\n", "utf-8")
    assert sign_in((one, two)) == SignIn(True, ("@example.org",))
    assert sign_in((two, tmp_path / "absent.toml")) == SignIn()


@pytest.mark.parametrize(
    "line",
    ["sign_in = 1", 'sign_in = "true"', "sign_in = true\nallowed_emails = []",
     'sign_in = true\nallowed_emails = "@example.org"', 'sign_in = true\nallowed_emails = ["example.org"]',
     'allowed_emails = ["@example.org"]'],
)  # fmt: skip
def test_a_rule_that_could_be_meant_otherwise_is_an_error(tmp_path: Path, line: str) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text(f"[tokenrace]\n{line}\n", "utf-8")
    with pytest.raises(SettingsError, match=r"sign_in|allowed_emails"):
        sign_in((file,))
