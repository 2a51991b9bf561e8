"""Who may come in, when the operator asks for a sign-in. Not who may call what: that is `policy.py`.

It judges what an identity provider has said about a person; it signs nobody in and reads no cookie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SignIn:
    """Whether a sign-in is needed, and for whom: whole addresses and domains ("@example.org"); empty: anybody."""

    required: bool = False
    allowed_emails: tuple[str, ...] = ()

    def admits(self, user: Mapping[str, Any]) -> bool:
        """Whether a person with these claims (of an ID token, and `is_logged_in`) may come in."""
        if not self.required:
            return True
        return user.get("is_logged_in") is True and (not self.allowed_emails or self._lists(user))

    def _lists(self, user: Mapping[str, Any]) -> bool:
        """Whether the address is allowed; one that the provider calls unverified is nobody's."""
        email = str(user.get("email") or "").strip().lower()
        local, _at, domain = email.rpartition("@")
        if not local or user.get("email_verified", True) not in (True, "true"):
            return False
        return not {email, f"@{domain}"}.isdisjoint(entry.strip().lower() for entry in self.allowed_emails)


def is_email_rule(entry: Any) -> bool:
    """Whether an entry of allowed_emails is an address or a domain with its @."""
    return isinstance(entry, str) and entry.count("@") == 1 and "." in entry and not entry.strip().endswith("@")
