"""The order of trials: what is in a round, who waits for whom, and what a cache cannot know."""

from __future__ import annotations

from collections import Counter

from lib.domain.run import Mode, Origin, Params, Prompt
from lib.trials.plan import WARM_UP_TOKENS, Condition, Turn, with_nonce
from tests.trials.made_trials import backend, plan

A, B, C = backend("A"), backend("B", url="http://localhost:1/v1"), backend("C", url="http://127.0.0.1:2/v1")


def test_every_round_runs_every_backend_once_and_the_first_is_the_warm_up() -> None:
    turns = plan(A, B, C, rounds=5).turns
    assert [round_[0].round for round_ in turns] == [0, 1, 2, 3, 4, 5]
    assert all(sorted(turn.place for turn in round_) == [0, 1, 2] for round_ in turns)


def test_the_same_seed_gives_the_same_order_and_the_order_varies_within_a_plan() -> None:
    assert plan(A, B, C, rounds=9).turns == plan(A, B, C, rounds=9).turns
    assert plan(A, B, C, rounds=9, seed=1).turns != plan(A, B, C, rounds=9, seed=2).turns
    assert len({tuple(turn.place for turn in round_) for round_ in plan(A, B, C, rounds=20).turns}) == 6


def test_no_backend_comes_first_much_more_often_than_another() -> None:
    first = Counter(round_[0].place for round_ in plan(A, B, rounds=400, has_warm_up=False).turns)
    assert 160 <= first[0] <= 240


def test_without_a_warm_up_the_first_round_counts() -> None:
    bare = plan(A, B, rounds=2, has_warm_up=False)
    assert [round_[0].round for round_ in bare.turns] == [1, 2]
    assert bare.requests == 4
    assert plan(A, B, rounds=2).requests == 6


def test_servers_of_one_machine_wait_for_each_other_and_other_hosts_do_not() -> None:
    turns = [Turn(1, 2), Turn(1, 0), Turn(1, 1)]
    assert plan(A, B, C).queues(turns) == ((Turn(1, 2), Turn(1, 1)), (Turn(1, 0),))


def test_one_by_one_is_a_single_queue_in_the_order_of_the_round() -> None:
    turns = (Turn(1, 2), Turn(1, 0), Turn(1, 1))
    assert plan(A, B, C, mode=Mode.ONE_BY_ONE).queues(turns) == (turns,)


def test_simulated_lanes_do_not_wait_for_each_other() -> None:
    one, two = backend("S", Origin.SIMULATED, "http://127.0.0.1:3/v1"), backend("T", Origin.SIMULATED)
    assert len(plan(one, two).queues([Turn(1, 0), Turn(1, 1)])) == 2


def test_a_cold_prompt_begins_with_the_nonce_wherever_the_first_message_is() -> None:
    assert with_nonce(Prompt("Ask", "System"), "n1").messages()[0]["content"] == "[n1] System"
    assert with_nonce(Prompt("Ask", "", (("user", "Hi"),)), "n1").messages()[0]["content"] == "[n1] Hi"
    assert with_nonce(Prompt("Ask"), "n1").messages()[0]["content"] == "[n1] Ask"


def test_a_warm_prompt_is_the_same_every_time() -> None:
    warm = plan(A, condition=Condition.WARM)
    assert warm.prompt_with("n1") == warm.prompt_with("n2") == warm.prompt


def test_a_warm_up_asks_for_few_tokens_and_a_lane_keeps_its_own_parameters() -> None:
    asked = plan(A, B, own_params={1: Params(max_tokens=8, temperature=0.5)})
    assert asked.params_of(Turn(0, 0)).max_tokens == WARM_UP_TOKENS
    assert asked.params_of(Turn(0, 1)).max_tokens == 8
    assert asked.params_of(Turn(1, 1)) == Params(max_tokens=8, temperature=0.5)
    assert asked.params_of(Turn(1, 0)).max_tokens == 512
