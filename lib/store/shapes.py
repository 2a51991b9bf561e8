"""Whether values are what their annotations say: a recording from a file is decoded without looking at types.

It knows the kinds of annotation that `lib/domain` uses, and no others. What it costs is paid on import alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from decimal import Decimal
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

_LARGEST = 30  # digits of a price before or after the point


def fits(value: object, kind: Any) -> bool:
    """Whether `value` is of this annotation, in all its depth. A bool is no number; a price is finite."""
    if kind is Any:
        return True
    if kind is Decimal:
        return isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= _LARGEST
    if kind in (int, float, None, NoneType):
        return type(value) in {int: (int,), float: (int, float)}.get(kind, (NoneType,))
    if get_args(kind):
        return _fits_generic(value, get_origin(kind), get_args(kind))
    if is_dataclass(kind):
        return type(value) is kind and all(
            fits(getattr(value, name), its) for name, its in _fields(kind).items()
        )
    return isinstance(value, kind)


def _fits_generic(value: object, origin: Any, inner: tuple[Any, ...]) -> bool:
    if origin in (Union, UnionType):
        return any(fits(value, kind) for kind in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        kinds = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        return len(kinds) == len(value) and all(map(fits, value, kinds))
    assert origin is Mapping, f"no such annotation in the domain: {origin}"
    return isinstance(value, dict) and all(
        fits(key, inner[0]) and fits(item, inner[1]) for key, item in value.items()
    )


@cache
def _fields(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
