"""Refusals in OpenAI's shape: `{"error": {"message", "type", "param", "code"}}`."""

from __future__ import annotations

from collections.abc import Mapping

import orjson


class ApiError(Exception):
    """A refused request: HTTP status, the words, the parameter at fault, and OpenAI's code."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        kind: str = "invalid_request_error",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self.body = orjson.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}})


def bad_parameter(param: str, message: str) -> ApiError:
    """400 for one parameter."""
    return ApiError(400, f"Invalid '{param}': {message}.", param=param, code="invalid_value")


def unknown_model(model: str) -> ApiError:
    """404 as OpenAI words it."""
    words = f"The model `{model}` does not exist or you do not have access to it."
    return ApiError(404, words, param="model", code="model_not_found")
