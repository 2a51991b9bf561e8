"""Backends without a model: an OpenAI-compatible HTTP server that speaks at set speeds, and recorded ones.

Its own process (`python -m lib.simulator`), useful alone with curl. It shares no code with the collector:
the two meet on the wire, as strangers would. Nothing here measures anything.
"""
