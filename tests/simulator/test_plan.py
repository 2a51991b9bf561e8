"""A plan follows from the request and the profile alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lib.simulator.plan import Plan, plan_reply
from lib.simulator.profiles import load_profiles
from lib.simulator.request import parse_request

PROFILES = {profile.id: profile for profile in load_profiles()}


def planned(model: str = "gpt4-tier-cloud", **values: Any) -> Plan:
    body = {"model": model, "messages": [{"role": "user", "content": "lighthouse"}], **values}
    return plan_reply(parse_request(json.dumps(body).encode()), PROFILES[model], number=1, created_s=0)


def test_the_same_request_gets_the_same_deadlines() -> None:
    assert list(planned().due_ns()) == list(planned().due_ns())


def test_seed_and_model_each_give_other_deadlines() -> None:
    seeded = [list(planned(seed=seed).due_ns()) for seed in (1, 2)]
    assert seeded[0] != seeded[1]
    assert planned("gpt-4o-2024-05", seed=1).pace.seed != planned("gpt-4o-2026", seed=1).pace.seed


def test_every_backend_says_the_same_to_the_same_prompt() -> None:
    assert len({planned(model, reasoning_effort="none").answer.text for model in PROFILES}) == 1


@pytest.mark.parametrize("model", PROFILES)
def test_a_plan_keeps_the_ttft_and_the_rate_of_its_profile(model: str) -> None:
    plan, profile = planned(model), PROFILES[model]
    due = list(plan.due_ns())
    after_first = sum(chunk.tokens for chunk in plan.chunks[1:])
    assert due[0] / 1e6 == pytest.approx(profile.ttft_ms)
    assert after_first / ((due[-1] - due[0]) / 1e9) == pytest.approx(profile.tok_s, rel=1e-6)
    assert plan.end_ns() == due[-1]


def test_a_wish_replaces_the_speed_of_the_profile() -> None:
    pace = planned(simulator={"ttft_ms": 5, "tok_s": 7, "jitter_cv": 0}).pace
    assert (pace.ttft_ms, pace.tok_s, pace.jitter_cv) == (5, 7, 0)
