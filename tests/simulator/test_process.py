"""The process: it says where it listens, and it ends when it is told to, even in mid-stream."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys

import pytest

from tests.simulator.conftest import COMMAND, ROOT, Running, end, start


@pytest.fixture
def running() -> Running:
    return start()


def streaming(port: int) -> socket.socket:
    """A connection in the middle of a long answer."""
    body = json.dumps({
        "model": "gpt-4o-2026", "stream": True, "messages": [{"role": "user", "content": "tide"}],
        "simulator": {"ttft_ms": 0, "tok_s": 1},
    }).encode()  # fmt: skip
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    connection.sendall(body)
    received = b""
    while b"content" not in received:
        received += connection.recv(4096)
    return connection


def test_it_prints_one_line_with_its_address(running: Running) -> None:
    assert running.base_url == f"http://127.0.0.1:{running.port}/v1"
    assert running.pid == running.process.pid
    assert end(running) == 0


def test_it_ends_when_standard_input_closes(running: Running) -> None:
    with streaming(running.port):
        assert end(running) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_on_a_signal(running: Running, number: signal.Signals) -> None:
    with streaming(running.port):
        running.process.send_signal(number)
        assert running.process.wait(10) == 0
    end(running)


def test_a_port_in_use_is_said_and_not_a_traceback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = subprocess.run(
            [*COMMAND, "--port", str(port)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    assert result.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}" in json.loads(result.stdout)["error"]
    assert result.stderr == b""


def test_help_explains_models_wishes_and_faults() -> None:
    command = [sys.executable, "-m", "lib.simulator", "--help"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(
        word in result.stdout for word in ("/v1/models", "curl", "retry-after-ms", "slow_headers", "tok_s")
    )
