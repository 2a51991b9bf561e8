#!/bin/sh
# Sees to it that the history's tests have a PostgreSQL server to start; called by the Makefile before the tests.
# tests/store/postgresql_server.py looks in the same places. Without it those tests say so and the rest runs.
set -u
[ -n "${POSTGRESQL_BIN:-}" ] && [ -x "$POSTGRESQL_BIN/initdb" ] && exit 0
for folder in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin; do
    [ -x "$folder/initdb" ] && exit 0
done
command -v initdb >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing PostgreSQL from the system's packages, for the tests of the history"
    log=$(mktemp)
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends postgresql; } \
        >"$log" 2>&1 && rm -f "$log" && exit 0
    tail -n 5 "$log" >&2
fi
cat >&2 <<'TEXT'

No PostgreSQL server was found, so the history is tested on SQLite alone.
  Debian or Ubuntu:  sudo apt-get install postgresql
  macOS:             brew install postgresql
  Somewhere else?    POSTGRESQL_BIN=/path/to/bin make test
TEXT
exit 0
