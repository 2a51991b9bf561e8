"""Tokenrace: one prompt, several backends, live beside a person reading."""

__version__ = "0.1.0"
