# `make run` and `make test` are all a newcomer needs; each sets up what it uses.

PORT ?= 8501
ARGS ?=
PY := .venv/bin/python
JS_TESTS = $(wildcard tests/js/*.test.mjs tests/js/*.test.js)

.DEFAULT_GOAL := help
.PHONY: help setup local-model run test test-nobrowser test-js bench lint messages clean

help:
	@echo "make run      open Tokenrace at http://localhost:$(PORT)   (another port: PORT=8600 make run)"
	@echo "make test     run all tests                            (some of them: make test ARGS='-k reader')"
	@echo "make bench    measure the product's own error and cost (short: make bench ARGS=--quick)"
	@echo "make lint     style, types and layers"
	@echo "make messages bring lib/locale up to date with the texts in the code"
	@echo "make setup    make .venv and install the packages; the others do it when needed"
	@echo "make clean    remove caches and test results"

setup:
	@sh scripts/setup.sh

# Tries the optional local model again, for instance once there is a network.
local-model:
	@sh scripts/setup.sh again

run: setup
	@exec $(PY) -m streamlit run app.py --server.port $(PORT)

test: setup
	@sh scripts/browser.sh
	@sh scripts/postgresql.sh
	@js=0; $(MAKE) --no-print-directory test-js || js=$$?; $(PY) -m pytest -n 2 --dist loadfile $(ARGS) && exit $$js

test-nobrowser: setup
	@sh scripts/postgresql.sh
	@js=0; $(MAKE) --no-print-directory test-js || js=$$?; $(PY) -m pytest -n 2 --dist loadfile -m "not browser" $(ARGS) && exit $$js

test-js:
	@if [ -z "$(JS_TESTS)" ]; then :; \
	elif node -e 'process.exit(parseInt(process.versions.node) < 20)' 2>/dev/null; then node --test $(JS_TESTS); \
	else echo "JavaScript unit tests left out: they need node 20 or newer (the browser tests run the same code)"; fi

bench: setup
	@sh scripts/browser.sh
	@$(PY) -m tests.bench $(ARGS)

lint: setup
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"

messages: setup
	@$(PY) scripts/messages.py

clean:
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis test-results
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
