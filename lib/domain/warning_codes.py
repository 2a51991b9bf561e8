"""Every warning a result can carry, each with the line that explains its chip."""

from __future__ import annotations

WARNINGS: dict[str, str] = {
    "usage_estimated": "The server reported no token count; the text was counted with o200k_base instead.",
    "usage_inconsistent": "The server's token counts contradict each other; the top-level number is used.",
    "stream_options_dropped": "The server refused stream_options; the request was repeated without it.",
    "param_dropped": "The server refused a parameter; the request was repeated without it or under another name.",
    "burst": "The text came in very few pieces: a proxy seems to be buffering, so no decode rate is given.",
    "not_streamed": "The answer came in one piece, so there is no rate and no gap to measure.",
    "bad_chunk": "A broken frame was skipped; some text may be missing.",
    "no_finish_reason": "The server never said why it stopped.",
    "incomplete": "The stream ended without saying that the answer was complete.",
    "truncated_length": "The answer stopped at the token limit.",
    "content_filter": "The provider's content filter stopped the answer.",
    "empty_answer": "No answer text came.",
    "model_mismatch": "The server answered with another model than the one asked for.",
    "duplicate_final_text": "The last frame repeated the whole answer; the repetition is not counted.",
    "cumulative_deltas": "Each frame repeated all the text so far; only what was new is shown.",
    "replacement_characters": "The reply contained damaged characters; the damage came with it.",
    "prompt_cached": "Part of the prompt came from the server's cache, so the first token was early.",
    "spend_cap": "The race reached its spend cap, so this lane was stopped.",
    "stopped_by_user": "You stopped this lane; the provider may still bill the rest.",
}
