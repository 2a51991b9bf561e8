"""A small real model on a real llama.cpp HTTP server, on this machine, in a process of its own.

`python -m lib.local_model` is the server; the app starts and watches it as a `ServerProcess`.
It is a demonstration (SmolLM2, 135 million parameters, one thread), no reference for quality, and to
the rest of the product just another backend: it is reached through its base URL and nothing else.
"""
