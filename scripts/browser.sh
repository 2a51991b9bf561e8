#!/bin/sh
# Sees to it that the browser tests have a Chromium; called by the Makefile before tests and benchmarks.
# tests/conftest.py looks in the same places.
set -u
for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
    [ -n "$candidate" ] && command -v "$candidate" >/dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Chromium from the system's packages, for the browser tests"
    log=$(mktemp)
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium fonts-noto-cjk; } \
        >"$log" 2>&1 && rm -f "$log" && exit 0
    tail -n 5 "$log" >&2
fi
cat >&2 <<'TEXT'

The browser tests need Chromium or Chrome, and none was found.
  Debian or Ubuntu:  sudo apt-get install chromium
  macOS:             brew install --cask chromium
  Somewhere else?    CHROMIUM=/path/to/chromium make test
  Without a browser: make test-nobrowser
TEXT
exit 1
