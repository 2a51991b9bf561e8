"""Who is behind a request, from Streamlit's signed cookie: this leans on private parts and must break loudly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import HTTPConnection
from streamlit import config
from streamlit.auth_util import set_cookie_with_chunks
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from lib.ui.sign_in import user_of

COOKIE = "_streamlit_user"
ORIGIN = "https://race.example.org"
USER = {"email": "ann@example.org", "is_logged_in": True, "origin": ORIGIN}
SECRETS = f'[auth]\nredirect_uri = "{ORIGIN}/oauth2callback"\ncookie_secret = "a cookie secret of the tests"\n'


@pytest.fixture(autouse=True)
def auth_settings(tmp_path: Path) -> Iterator[None]:
    file = tmp_path / "secrets.toml"
    file.write_text(SECRETS, "utf-8")
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(file)])
    secrets_singleton._reset()
    yield
    config.set_option("secrets.files", before)
    secrets_singleton._reset()


def cookies(user: dict[str, object], secret: str | None = None) -> dict[str, str]:
    """The cookies as Streamlit sets them, several when the person has much to tell."""
    made: dict[str, str] = {}

    def sign(name: str, value: str) -> bytes:
        return create_signed_value(secret or get_cookie_secret(), name, value)

    def put(name: str, value: str) -> None:
        made[name] = sign(name, value).decode()

    set_cookie_with_chunks(put, sign, COOKIE, user, cookie_attr_size=60)
    return made


def connection(made: dict[str, str]) -> HTTPConnection:
    header = "; ".join(f"{name}={value}" for name, value in made.items()).encode("latin-1")
    return HTTPConnection({"type": "http", "headers": [(b"cookie", header)], "path": "/"})


def test_a_person_with_a_valid_cookie_is_known() -> None:
    assert user_of(connection(cookies(USER))) == USER


def test_a_cookie_in_several_pieces_is_put_together() -> None:
    user = USER | {"groups": "".join(f"{n * n * 7919:x}" for n in range(3000))}
    made = cookies(user)
    assert len(made) > 1
    assert user_of(connection(made)) == user


def test_nobody_is_known_without_a_cookie_or_with_a_foreign_or_changed_one() -> None:
    (value,) = cookies(USER).values()
    assert user_of(connection({})) == {}
    assert user_of(connection(cookies(USER, secret="another secret altogether"))) == {}
    assert user_of(connection({COOKIE: f"A{value[1:]}"})) == {}
    assert user_of(connection({COOKIE: value[:-1]})) == {}


def test_a_cookie_made_for_another_address_of_the_same_operator_is_nobodys() -> None:
    assert user_of(connection(cookies(USER | {"origin": "https://other.example.org"}))) == {}
