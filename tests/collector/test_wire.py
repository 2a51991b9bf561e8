"""What servers and gateways really put on the wire, each from a socket, each measured as a lane would be."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from lib.collector.single import Measurer
from lib.domain import events as ev
from tests.collector.measuring import KEY, Told, ask
from tests.collector.wire_server import DONE, Reply, Request, Wire, WireServer, finished, frame, said, serving

WHOLE = said("Sea ") + said("and ") + said("sky.") + finished() + DONE
USAGE = {"prompt_tokens": 5, "completion_tokens": 40, "total_tokens": 45}


@pytest.fixture(scope="module")
def measurer() -> Iterator[Measurer]:
    with Measurer() as measurer:
        yield measurer


def answer(measurer: Measurer, *pieces: str | bytes, status: str = "200 OK", **headers: str) -> Told:
    """What comes of a reply of these header fields and body pieces, ended by closing the connection."""

    def reply(_request: Request, wire: Wire) -> None:
        wire.head(status, headers.pop("kind", "text/event-stream"), **headers)
        wire.send(*pieces)

    with serving(reply) as server:
        return ask(measurer, server.base_url)


def document(message: dict[str, Any], **more: Any) -> str:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return json.dumps(
        {"object": "chat.completion", "model": "m", "choices": [choice], "usage": USAGE, **more}
    )


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_answer_as_one_document_is_taken_and_called_not_streamed(measurer: Measurer, kind: str) -> None:
    told = answer(measurer, document({"content": "Sea and sky."}), kind=kind)
    assert told.outcome == ("complete", None)
    assert (told["text"], told["finish_reason"], told["output_tokens"]) == ("Sea and sky.", "stop", 40)
    assert "not_streamed" in told["warnings"]
    assert told["decode_tok_s"] is None


def test_an_indented_document_with_thinking_and_a_tool_call_is_taken_whole(measurer: Measurer) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"at": "sea"}'}}
    message = {"content": "Sea.", "reasoning_content": "Hm.", "tool_calls": [call]}
    told = answer(measurer, json.dumps(json.loads(document(message)), indent=2), kind="application/json")
    assert (told["text"], told["reasoning_text"]) == ("Sea.", "Hm.")
    assert told["tool_calls"] == [{"name": "look", "arguments": '{"at": "sea"}'}]


def test_a_document_inside_the_one_frame_of_a_stream_is_taken_too(measurer: Measurer) -> None:
    told = answer(measurer, f"data: {document({'content': 'Sea and sky.'})}\n\n", DONE)
    assert told.outcome == ("complete", None)
    assert told["text"] == "Sea and sky."


def test_a_message_that_repeats_the_deltas_is_not_counted(measurer: Measurer) -> None:
    told = answer(
        measurer, said("Sea "), said("sky."), f"data: {document({'content': 'Sea sky.'})}\n\n", DONE
    )
    assert told["text"] == "Sea sky."
    assert told["token_chunks"] == 2


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"error": {"message": "No capacity left", "type": "overloaded"}}', "No capacity left"),
        ('{"error": "No capacity left"}', "No capacity left"),
    ],
)
def test_an_error_document_with_200_is_an_error_in_the_servers_words(
    measurer: Measurer, body: str, words: str
) -> None:
    told = answer(measurer, body, kind="application/json")
    assert told.outcome == ("error", "stream_error")
    assert told["error_message"] == words


def test_a_document_that_is_no_answer_is_quoted(measurer: Measurer) -> None:
    told = answer(measurer, '{"detail": "Method is for version 2"}', kind="application/json")
    assert told.outcome == ("error", "bad_response")
    assert "Method is for version 2" in told["error_message"]


def test_a_web_page_with_200_is_called_one_and_its_markup_is_not_shown(measurer: Measurer) -> None:
    told = answer(measurer, "<!DOCTYPE html><html><h1>Welcome</h1></html>", kind="text/html")
    assert told.outcome == ("error", "bad_response")
    assert told["error_message"] == "This address serves a web page, not the API."


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "application/json", ""])
def test_a_stream_is_known_by_its_bytes_not_by_its_label(measurer: Measurer, kind: str) -> None:
    told = answer(measurer, WHOLE, kind=kind)
    assert told.outcome == ("complete", None)
    assert told["text"] == "Sea and sky."


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_compressed_stream_is_read_although_none_was_asked_for(measurer: Measurer, coding: str) -> None:
    seen: list[str] = []

    def reply(request: Request, wire: Wire) -> None:
        seen.append(request.headers["accept-encoding"])
        press = zlib.compressobj(wbits=31 if coding == "gzip" else 15)
        wire.head(Content_Encoding=coding)
        for piece in (said("Sea "), said("and "), said("sky."), finished(), DONE):
            wire.send(press.compress(piece.encode()) + press.flush(zlib.Z_SYNC_FLUSH))
        wire.send(press.flush())

    with serving(reply) as server:
        told = ask(measurer, server.base_url)
    assert seen == ["identity"]
    assert told.outcome == ("complete", None)
    assert told["text"] == "Sea and sky."


def test_a_compressed_error_is_read_too(measurer: Measurer) -> None:
    body = gzip.compress(b'{"error": {"message": "Too long"}}')
    told = answer(measurer, body, status="400 Bad Request", kind="application/json", Content_Encoding="gzip")
    assert told.outcome == ("error", "bad_request")
    assert told["error_message"] == "Too long"


@pytest.mark.parametrize("coding", ["gzip", "zstd", "br", "x-unheard-of"])
def test_bytes_that_cannot_be_unpacked_are_an_error_in_words(measurer: Measurer, coding: str) -> None:
    told = answer(measurer, b"\x00\x01 no such packing \xff" * 20, Content_Encoding=coding)
    assert told.outcome == ("error", "bad_response")
    assert "packed" in told["error_message"]


@pytest.mark.parametrize(
    "status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent"]
)
def test_a_redirect_is_told_with_its_target_and_the_key_is_not_sent_on(
    measurer: Measurer, status: str
) -> None:
    with serving(lambda _request, wire: wire.send(WHOLE)) as elsewhere:
        told = answer(
            measurer,
            status=status,
            Location=f"http://{elsewhere.address}/login?key={KEY}",
            Content_Length="0",
        )
    assert told.outcome == ("error", "not_found")
    assert told["http_status"] == int(status[:3])
    assert elsewhere.address in told["error_message"]
    assert KEY not in told["error_message"]
    assert elsewhere.requests == []


@pytest.mark.parametrize(
    "head",
    [
        "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n",
        f"HTTP/1.1 200 OK\r\nContent-Length: {len(WHOLE)}\r\n\r\n",
        f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {len(WHOLE)}\r\n\r\n",
    ],
)
def test_every_framing_of_the_body_is_read(measurer: Measurer, head: str) -> None:
    with serving(lambda _request, wire: wire.send(head, WHOLE)) as server:
        told = ask(measurer, server.base_url)
    assert told.outcome == ("complete", None)
    assert told["text"] == "Sea and sky."


@pytest.mark.parametrize(
    "framing",
    [
        "Content-Length: 5000\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n40000\r\n",
    ],
)
def test_a_body_shorter_than_announced_was_cut(measurer: Measurer, framing: str) -> None:
    text = said("Sea ") + said("and ")
    body = text if "40000" in framing or "Length" in framing else f"{len(text):x}\r\n{text}\r\n"
    with serving(lambda _request, wire: wire.send("HTTP/1.1 200 OK\r\n" + framing, body)) as server:
        told = ask(measurer, server.base_url)
    assert told.outcome == ("error", "connection_lost")
    assert told["text"] == "Sea and "
    assert told["error_message"]
    assert told["output_tokens_source"] == "tokenizer"


def test_a_broken_chunk_length_is_an_error_in_words(measurer: Measurer) -> None:
    reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + said("Sea ")
    with serving(lambda _request, wire: wire.send(reply)) as server:
        told = ask(measurer, server.base_url)
    assert told.outcome == ("error", "bad_response")
    assert "chunk size" in told["error_message"]


def unended(*pieces: str) -> Reply:
    """A reply whose chunked body breaks off after these pieces."""

    def reply(_request: Request, wire: Wire) -> None:
        wire.head(Transfer_Encoding="chunked")
        wire.send(*(f"{len(piece):x}\r\n{piece}\r\n" for piece in pieces))

    return reply


def test_a_connection_cut_after_the_answer_was_finished_does_not_undo_it(measurer: Measurer) -> None:
    with serving(unended(said("Sea."), finished())) as server:
        told = ask(measurer, server.base_url)
    assert told.outcome == ("complete", None)
    assert told["text"] == "Sea."


@pytest.mark.parametrize(
    "pieces",
    [
        [said("Sea "), said("and ")],
        [said("Sea ", finish_reason="stop"), said("and ")],  # a reason that came too early finishes nothing
        [frame({"choices": [{"index": n, "delta": {"content": "Sea "}} for n in (0, 1)]}), finished()],
        [frame({"usage": USAGE, "choices": [{"delta": {"content": "Sea "}}]})],
    ],
)
def test_an_answer_that_was_not_finished_is_lost_with_its_connection(
    measurer: Measurer, pieces: list[str]
) -> None:
    with serving(unended(*pieces)) as server:
        told = ask(measurer, server.base_url)
    assert told.outcome == ("error", "connection_lost")
    assert told["text"].startswith("Sea ")


def test_no_request_carries_a_cookie_that_another_was_given(measurer: Measurer) -> None:
    def reply(_request: Request, wire: Wire) -> None:
        wire.head(Set_Cookie="session=of-somebody; Path=/")
        wire.send(WHOLE)

    with serving(reply) as server:
        for _ in range(2):
            ask(measurer, server.base_url)
    assert ["cookie" in request.headers for request in server.requests] == [False, False]


def test_nothing_after_done_is_read(measurer: Measurer) -> None:
    told = answer(measurer, WHOLE, said(" More."), "data: {broken\n\n", frame({"error": "late"}))
    assert told.outcome == ("complete", None)
    assert told["text"] == "Sea and sky."
    assert told["warnings"] == ["usage_estimated"]


def test_headers_that_wait_for_the_first_token_change_nothing(measurer: Measurer) -> None:
    def reply(_request: Request, wire: Wire) -> None:
        wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + said("Sea "))
        wire.send(said("sky."), finished(), DONE)

    with serving(reply) as server:
        told = ask(measurer, server.base_url)
    assert told["text"] == "Sea sky."
    assert told["headers_ms"] <= told["ttft_ms"]


@pytest.mark.parametrize(
    "beat",
    ["data: ping\n\n", "data: keep-alive\n\n", "data:\n\n", "data: : OPENROUTER PROCESSING\n\n", "data: null\n\n",
     'data: "ping"\n\n', "data: {}\n\n", 'event: ping\ndata: {"type": "ping"}\n\n',
     "event: heartbeat\ndata: heartbeat\n\n",
     ":\n\n", "retry: 500\n\n", "id: 7\n\n"],
)  # fmt: skip
def test_a_keep_alive_of_any_shape_is_no_text_and_no_damage(measurer: Measurer, beat: str) -> None:
    told = answer(measurer, beat, said("Sea "), beat, said("sky."), beat, finished(), beat, DONE)
    assert told.outcome == ("complete", None)
    assert (told["text"], told["token_chunks"]) == ("Sea sky.", 2)
    assert told["warnings"] == ["usage_estimated"]


def test_a_stream_of_nothing_but_words_is_not_taken_for_keep_alives(measurer: Measurer) -> None:
    told = answer(measurer, "data: Sea\n\n", "data: and\n\n", "data: sky\n\n")
    assert told.outcome == ("error", "bad_response")
    assert "Sea" in told["error_message"]


def test_a_frame_cut_short_is_told_and_the_rest_is_kept(measurer: Measurer) -> None:
    told = answer(
        measurer, said("Sea "), 'data: {"choices":[{"delta":{"con\n\n', said("sky."), finished(), DONE
    )
    assert told["text"] == "Sea sky."
    assert "bad_chunk" in told["warnings"]


def test_usage_under_a_vendors_key_is_found(measurer: Measurer) -> None:
    last = {
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
        "x_groq": {"id": "r", "usage": USAGE},
    }
    told = answer(measurer, said("Sea "), said("sky."), frame(last), DONE)
    assert (told["output_tokens"], told["output_tokens_source"]) == (40, "usage")


def test_usage_null_on_every_frame_is_no_usage_and_a_later_one_counts(measurer: Measurer) -> None:
    nulls = [
        frame({"choices": [{"index": 0, "delta": {"content": t}}], "usage": None}) for t in ("Sea ", "sky.")
    ]
    told = answer(measurer, *nulls, finished(), DONE)
    assert told["output_tokens_source"] == "tokenizer"
    told = answer(
        measurer, *nulls, frame({"choices": [], "usage": USAGE}), frame({"choices": [], "usage": None}), DONE
    )
    assert (told["output_tokens"], told["output_tokens_source"]) == (40, "usage")


def test_filter_frames_without_a_delta_are_skipped_and_the_reason_stands(measurer: Measurer) -> None:
    verdict = {
        "choices": [{"index": 0, "content_filter_offsets": {"check_offset": 4}, "content_filter_results": {}}]
    }
    told = answer(measurer, said("Sea "), frame(verdict), said("sky."), finished(), frame(verdict), DONE)
    assert (told["text"], told["finish_reason"]) == ("Sea sky.", "stop")
    assert told["token_chunks"] == 2


def test_an_answer_that_a_filter_stopped_says_so(measurer: Measurer) -> None:
    told = answer(measurer, said("Sea "), finished("content_filter"), DONE)
    assert told["status"] == "complete"
    assert told["finish_reason"] == "content_filter"
    assert "content_filter" in told["warnings"]


def test_empty_lists_beside_the_text_are_nothing(measurer: Measurer) -> None:
    chunk = {
        "choices": [
            {"index": 0, "delta": {"content": "Sea.", "tool_calls": [], "reasoning": "", "refusal": None}}
        ]
    }
    told = answer(measurer, frame(chunk), finished(), DONE)
    assert (told["text"], told["tool_calls"], told["reasoning_text"]) == ("Sea.", None, "")
    assert told["ttft_ms"] == told["first_answer_ms"]


def test_chunks_that_lack_nearly_everything_are_read(measurer: Measurer) -> None:
    told = answer(measurer, frame({"choices": [{"delta": {"content": "Sea "}}]}),
                  frame({"choices": [{"delta": {"content": "sky."}}], "id": None, "created": "yesterday"}),
                  frame({"choices": None}), frame({"id": "x"}),
                  frame({"choices": [{"finish_reason": "stop"}]}))  # fmt: skip
    assert told.outcome == ("complete", None)
    assert (told["text"], told["finish_reason"]) == ("Sea sky.", "stop")


@pytest.mark.parametrize(
    "error",
    [frame({"error": {"message": "Out of memory", "code": 500}}), frame({"error": "Out of memory"}),
     "event: error\ndata: Out of memory\n\n", 'event: error\ndata: {"message": "Out of memory"}\n\n',
     frame({"object": "error", "message": "Out of memory", "code": 50000}),
     frame({"choices": [], "error": {"message": "Out of memory"}})],
)  # fmt: skip
def test_an_error_in_the_middle_keeps_the_text_and_the_words(measurer: Measurer, error: str) -> None:
    told = answer(measurer, said("Sea "), said("and "), error, DONE)
    assert told.outcome == ("error", "stream_error")
    assert (told["text"], told["error_message"]) == ("Sea and ", "Out of memory")
    assert told["output_tokens_source"] == "tokenizer"


@pytest.mark.parametrize(
    "noise", ["SSH-2.0-OpenSSH_9.9\r\n", "\x15\x03\x01\x00\x02\x02\x46", "", "HTTP/1.1 OK\r\n\r\n"]
)
def test_a_server_that_speaks_no_http_is_an_error_in_words(measurer: Measurer, noise: str) -> None:
    with serving(lambda _request, wire: wire.send(noise)) as server:
        told = ask(measurer, server.base_url)
    assert told["status"] == "error"
    assert told["error_kind"] == ("connection_lost" if noise == "" else "bad_response")
    assert "is not HTTP" in told["error_message"] or noise == ""
    assert told["attempts"] == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [("204 No Content", "bad_response"), ("402 Payment Required", "bad_request"), ("403 Forbidden", "auth"),
     ("405 Method Not Allowed", "bad_request"), ("413 Too Large", "bad_request"), ("422 Unprocessable", "bad_request"),
     ("500 Broken", "server_error"), ("529 Overloaded", "server_error")],
)  # fmt: skip
def test_every_status_has_its_kind_and_some_words(measurer: Measurer, status: str, kind: str) -> None:
    told = answer(measurer, status=status, Content_Length="0")
    assert told.outcome == ("error", kind)
    assert told["http_status"] == int(status[:3])
    assert told["error_message"]


def test_the_request_is_what_a_server_expects_and_carries_the_key_once(measurer: Measurer) -> None:
    with serving(lambda _request, wire: (wire.head(), wire.send(WHOLE))) as server:
        ask(measurer, server.base_url)
    (request,) = server.requests
    assert request.line == "POST /v1/chat/completions HTTP/1.1"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "m", "messages": [{"role": "user", "content": "Speak."}], "stream": True,
        "stream_options": {"include_usage": True}, "max_tokens": 64,
    }  # fmt: skip


def test_text_that_ends_in_half_a_character_ends_in_a_mark_for_it(measurer: Measurer) -> None:
    told = answer(
        measurer,
        said("Sea "),
        'data: {"choices":[{"delta":{"content":"sky \\ud83c"}}]}\n\n',
        finished(),
        DONE,
    )
    assert told["text"] == "Sea sky \ufffd"


def test_chunks_of_several_servers_in_a_row_never_share_anything(measurer: Measurer) -> None:
    def reply(request: Request, wire: Wire) -> None:
        wire.head()
        wire.send(said(f"{request.connection} "), finished(), DONE)

    with serving(reply) as server:
        texts = [ask(measurer, server.base_url)["text"] for _ in range(3)]
    assert texts == ["0 ", "1 ", "2 "]


def test_a_model_name_of_the_reply_is_kept(measurer: Measurer) -> None:
    told = answer(
        measurer, frame({"model": "m-2026-01-01", "choices": [{"delta": {"content": "Sea."}}]}), DONE
    )
    assert told["served_model"] == "m-2026-01-01"
    assert told.generation.of(ev.Served)[0].model == "m-2026-01-01"


def test_every_server_of_these_tests_is_a_value_with_an_address() -> None:
    with serving(lambda _request, _wire: None) as server:
        assert isinstance(server, WireServer)
        assert server.base_url.startswith("http://127.0.0.1:")


def test_a_refusal_whose_body_never_ends_is_cut_and_told(measurer: Measurer) -> None:
    hung_up: list[bool] = []

    def reply(_request: Request, wire: Wire) -> None:
        wire.head("500 Broken", "text/plain")
        hung_up.append(wire.keep_saying("No room left. " * 4000, every_s=0.001))

    with serving(reply) as server:
        told = ask(measurer, server.base_url)
    assert told.outcome == ("error", "server_error")
    assert told["error_message"].startswith("No room left.")
    assert len(told["error_message"]) < 2000
    assert hung_up == [True]
