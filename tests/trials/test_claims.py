"""When a claim holds, when it does not, and when trials cannot say: each with the reason."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lib.claim_book import ClaimError, claims, delete, save, shipped
from lib.claims import Bound, Claim, Evidence, Kind, Verdict, Word, is_about, judge
from lib.domain.events import Status
from lib.domain.run import Origin
from tests.trials.made_trials import backend, made

FAST, SLOW = backend("Fast"), backend("Slow")
UP_TO_750 = Claim(
    "c", "up to 750 tok/s", Kind.MAXIMUM, 750, unit="tok/s", figure="decode_tok_s", bound=Bound.UP_TO
)
TYPICAL = replace(UP_TO_750, claim="about 750 tok/s", kind=Kind.VENDOR, bound=Bound.ABOUT)
OVER_300 = replace(TYPICAL, claim="300+ tok/s", number=300, bound=Bound.AT_LEAST)
UP_TO_14 = replace(UP_TO_750, claim="14x", number=14, unit="×")


def judged(claim: Claim, rates: list[float], against: list[float] | None = None) -> Verdict:
    trials = [made(0, n, rate) for n, rate in enumerate(rates, 1)]
    trials += [made(1, n, rate) for n, rate in enumerate(against or [], 1)]
    return judge(claim, Evidence(trials, (FAST, SLOW), 0, None if against is None else 1))


def test_one_run_at_or_above_it_shows_a_maximum() -> None:
    assert judged(UP_TO_750, [750.0]).word is Word.HOLDS
    assert judged(UP_TO_750, [40, 60, 751]).word is Word.HOLDS


def test_slower_runs_do_not_refute_a_maximum() -> None:
    verdict = judged(UP_TO_750, [700, 710, 749.9, 705, 702])
    assert verdict.word is Word.NOT_SHOWN
    assert "do not refute a maximum" in verdict.why


def test_an_announced_maximum_is_a_maximum_however_it_is_written_down() -> None:
    assert judged(replace(UP_TO_750, bound=Bound.AT_LEAST), [10, 10, 10]).word is Word.NOT_SHOWN


@pytest.mark.parametrize(
    ("rates", "word"),
    [([745, 751, 755], Word.HOLDS), ([400, 401, 402], Word.DOES_NOT_HOLD), ([990, 1000, 1010], Word.DOES_NOT_HOLD),
     ([745, 751], Word.NOT_SHOWN), ([500, 750, 900], Word.NOT_SHOWN)],
)  # fmt: skip
def test_a_typical_value_needs_trials_and_an_interval_on_one_side(rates: list[float], word: Word) -> None:
    assert judged(TYPICAL, rates).word is word


@pytest.mark.parametrize(
    ("rates", "word"),
    [([310, 312, 311], Word.HOLDS), ([280, 281, 282], Word.DOES_NOT_HOLD), ([290, 310, 320], Word.NOT_SHOWN)],
)
def test_at_least_needs_the_whole_interval_on_its_side(rates: list[float], word: Word) -> None:
    assert judged(OVER_300, rates).word is word


def test_a_range_is_judged_by_its_own_ends() -> None:
    of_2024 = replace(TYPICAL, number=20, high=60)
    assert judged(of_2024, [35, 36, 37]).word is Word.HOLDS
    assert judged(of_2024, [130, 131, 132]).word is Word.DOES_NOT_HOLD


def test_a_ratio_needs_both_backends_in_the_same_rounds() -> None:
    assert judged(UP_TO_14, [750, 750, 750]).word is Word.NOT_SHOWN
    apart = [made(0, n, 750) for n in (1, 2, 3)] + [made(1, n, 50) for n in (4, 5, 6)]
    verdict = judge(UP_TO_14, Evidence(apart, (FAST, SLOW), 0, 1))
    assert verdict == Verdict(
        Word.NOT_SHOWN, "No round was completed by both, so there is no pair to compare."
    )


def test_fourteen_times_holds_when_a_round_shows_it() -> None:
    assert judged(UP_TO_14, [750, 700], [50, 53.6]).word is Word.HOLDS
    assert judged(UP_TO_14, [750, 700], [53.6, 53.6]).word is Word.NOT_SHOWN


def test_a_typical_ratio_is_judged_by_its_paired_interval() -> None:
    typical = replace(UP_TO_14, kind=Kind.INDEPENDENT, bound=Bound.ABOUT)
    assert judged(typical, [750, 752, 748], [53, 54, 53]).word is Word.HOLDS
    assert judged(typical, [300, 302, 301], [53, 54, 53]).word is Word.DOES_NOT_HOLD


def test_a_time_is_as_short_as_claimed_when_one_run_is() -> None:
    quick = Claim("t", "as low as 200 ms", Kind.MAXIMUM, 200, unit="ms", figure="ttfat_ms", bound=Bound.UP_TO)
    trials = [made(0, 1, ttfat_ms=320), made(0, 2, ttfat_ms=199)]
    assert judge(quick, Evidence(trials, (FAST,), 0)).word is Word.HOLDS
    assert judge(quick, Evidence(trials[:1], (FAST,), 0)).word is Word.NOT_SHOWN
    at_most = replace(quick, kind=Kind.VENDOR, bound=Bound.AT_MOST)
    steady = [made(0, n, ttfat_ms=180 + n) for n in (1, 2, 3)]
    assert judge(at_most, Evidence(steady, (FAST,), 0)).word is Word.HOLDS


def test_a_rumour_stays_a_rumour_whatever_the_trials_gave() -> None:
    verdict = judged(replace(TYPICAL, kind=Kind.RUMOUR), [750, 750, 750])
    assert verdict.word is Word.NOT_SHOWN
    assert "stays a rumour; your trials gave 750 tok/s" in verdict.why


@pytest.mark.parametrize("origin", [Origin.SIMULATED, Origin.RECORDED])
def test_only_a_live_backend_can_show_anything(origin: Origin) -> None:
    trials = [made(0, n, 750) for n in (1, 2, 3)]
    verdict = judge(UP_TO_750, Evidence(trials, (backend("Sol", origin),), 0))
    assert verdict.word is Word.NOT_SHOWN
    assert f"Sol is {origin.value}" in verdict.why


def test_a_ratio_over_a_simulated_backend_shows_nothing_either() -> None:
    trials = [made(p, n, 750) for p in (0, 1) for n in (1, 2, 3)]
    evidence = Evidence(trials, (FAST, backend("Sim", Origin.SIMULATED)), 0, 1)
    assert "Sim is simulated" in judge(UP_TO_14, evidence).why


def test_another_model_neither_shows_nor_refutes_a_claim() -> None:
    verdict = judged(replace(OVER_300, about="GPT-5.6 Sol"), [10, 10, 10])
    assert verdict == Verdict(Word.NOT_SHOWN, "The claim is about GPT-5.6 Sol; these trials asked Fast.")


def test_a_model_is_recognised_by_the_words_of_its_name() -> None:
    assert is_about("GPT-5.6 Sol", backend("gpt-5.6-sol"))
    assert not is_about("GPT-5.6 Sol Ultrafast", backend("gpt-5.6-sol"))
    assert is_about("", FAST)


def test_a_name_in_another_script_is_a_name_too() -> None:
    assert not is_about("通义千问", FAST)
    assert is_about("通义千问 Max", backend("通义千问-max"))
    assert not is_about("Модель 5", backend("Модель 4"))


def test_failed_and_stopped_trials_show_nothing() -> None:
    trials = [made(0, 1, 900, status=Status.ERROR), made(0, 2, 900, status=Status.STOPPED)]
    assert judge(UP_TO_750, Evidence(trials, (FAST,), 0)).word is Word.NOT_SHOWN


def test_a_burst_too_short_to_measure_shows_no_maximum() -> None:
    assert judge(UP_TO_750, Evidence([made(0, 1, 5000, short=True)], (FAST,), 0)).word is Word.NOT_SHOWN


def test_without_trials_nothing_is_shown() -> None:
    assert judge(UP_TO_750, None) == Verdict(Word.NOT_SHOWN, "There are no trials to set it against.")


def test_every_claim_that_comes_along_is_checked_and_has_a_source() -> None:
    assert len(shipped()) == 35
    assert [claim.id for claim in shipped() if not claim.verdict or not claim.source] == []


def test_the_claims_that_trials_can_show_come_first_and_are_whole() -> None:
    tried = [claim for claim in shipped() if claim.can_be_tried]
    assert [claim.id for claim in tried] == ["A01", "A08", "A10", "B02", "B03"]
    assert shipped()[: len(tried)] == tuple(tried)
    assert {claim.id: claim.kind for claim in tried} == {
        "A01": Kind.RUMOUR, "A08": Kind.PRESS, "A10": Kind.VENDOR, "B02": Kind.MAXIMUM, "B03": Kind.MAXIMUM,
    }  # fmt: skip
    assert [claim.about for claim in tried if claim.is_ratio and not claim.against] == []


def test_an_own_claim_is_kept_and_forgotten(tmp_path: Path) -> None:
    kept = save(replace(OVER_300, who="A vendor", link="https://example.com/said"), tmp_path)
    assert kept.is_own
    assert claims(tmp_path)[0] == kept
    delete(kept.id, tmp_path)
    assert claims(tmp_path) == shipped()
    with pytest.raises(ClaimError):
        delete("B02", tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [{"claim": " "}, {"number": 0.0}, {"number": None}, {"number": float("nan")}, {"unit": "ms"}, {"unit": "?"},
     {"link": "javascript:alert(1)"}, {"who": "x" * 301}],
)  # fmt: skip
def test_a_claim_that_cannot_be_judged_is_not_kept(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(ClaimError):
        save(replace(OVER_300, **wrong), tmp_path)  # type: ignore[arg-type]
    assert not (tmp_path / "claims.jsonl").exists()


def test_lines_that_cannot_be_read_are_kept(tmp_path: Path) -> None:
    newer = json.dumps({"id": "n", "claim": "from a newer version", "shape": "unknown"})
    (tmp_path / "claims.jsonl").write_text(f"{newer}\nnot json\n", "utf-8")
    save(OVER_300, tmp_path)
    lines = (tmp_path / "claims.jsonl").read_text("utf-8").splitlines()
    assert lines[:2] == [newer, "not json"]
    assert len(claims(tmp_path)) == len(shipped()) + 1
