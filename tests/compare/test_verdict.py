"""The verdict for planted figures, and its sentence."""
import pytest
from planted_figures import rates, row

from legacy_towers.compare.verdict import verdict_of
from legacy_towers.measure.statistics import compare_all
from legacy_towers.report.document import Proof

PIPELINES = [
    "feed", "feed:background", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded",
    "dataset:per_device", "staged+feed", "staged+queue", "staged+dataset:split", "staged+dataset:next_per_tower",
    "staged+dataset:sharded",
]


def rows_of(figures, **others):
    return [row(pipeline, figures[pipeline], **others) for pipeline in figures]


@pytest.mark.parametrize("count", [2, 5, 12], ids="{} pipelines".format)
@pytest.mark.parametrize("noise", [0.01, 0.025], ids="noise {}".format)
@pytest.mark.parametrize("winner", ["queue", None], ids=["a winner", "ties"])
def test_the_verdict_is_right_for_20_of_20_seeds(winner, noise, count):
    others = [pipeline for pipeline in PIPELINES if pipeline not in ("feed", "queue")]
    pipelines = ["feed", "queue"] + others[: count - 2]
    wrong = []
    for seed in range(20):
        verdict = verdict_of(rows_of(rates(seed, pipelines, 7, noise, winner, 1.5)), "feed")
        if verdict.winner != winner or winner and count > 2 and "nothing else is " not in verdict.sentence:
            wrong.append((seed, verdict.sentence))
    assert wrong == []


def test_the_sentence_of_a_winner():
    figures = {
        "feed": [100.0, 101, 99, 100, 100, 102, 98],
        "queue": [100.0, 100, 99, 101, 100, 102, 98],
        "staged+dataset:next_per_tower": [162.0, 163, 161, 162, 160, 165, 159],
    }
    verdict = verdict_of(rows_of(figures), "feed")
    assert verdict.winner == "staged+dataset:next_per_tower"
    start, middle, end = verdict.sentence.split("; ")
    assert start == "with feed, the step waits for input 41 % of the time"
    assert middle.startswith("staged+dataset:next_per_tower is 1.62 \u00b1 0.0")
    assert middle.endswith(" times as fast as feed")
    assert end == "nothing else is measurably different"
    assert verdict.evidence[0] == "with feed, the step waits for input 41 % of the time by replay, 40 % by trace"
    assert verdict.evidence[1].startswith("staged+dataset:next_per_tower: 1.62 \u00b1 ")
    assert verdict.evidence[2].startswith("queue: 1.00 \u00b1 ")
    assert verdict.evidence[3] == "without any input (synthetic) the step would be 1.67 times as fast as with feed"


def steady(**levels):
    wave = [1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.002]
    return {pipeline.replace("__", "+").replace("_", ":"): [level * part for part in wave[n:] + wave[:n]]
            for n, (pipeline, level) in enumerate(levels.items())}


def test_the_sentence_lists_candidates_equal_to_the_winner_less_fast_and_slower():
    figures = steady(feed=100, queue=200, dataset_split=199, dataset_sharded=150, dataset_x=60)
    verdict = verdict_of(rows_of(figures), "feed")
    assert verdict.winner == "queue"
    assert "dataset:split is not measurably different from it" in verdict.sentence
    assert "dataset:sharded is faster than feed too, but less" in verdict.sentence
    assert "dataset:x is slower" in verdict.sentence and "nothing else" not in verdict.sentence


def test_staging_without_a_gain_is_not_recommended():
    verdict = verdict_of(rows_of(steady(feed=100, queue=200, staged__queue=203)), "feed")
    assert verdict.winner == "queue"
    assert verdict_of(rows_of(steady(feed=100, queue=200, staged__queue=230)), "feed").winner == "staged+queue"


def test_the_sentence_of_a_tie_has_the_excluded_gain():
    verdict = verdict_of(rows_of(steady(feed=100, queue=101, dataset_split=70)), "feed")
    assert verdict.winner is None
    assert verdict.sentence.startswith(
        "nothing is measurably faster than feed; with feed, the step waits for input 41 % of the time; a gain above "
    )
    assert verdict.sentence.endswith("dataset:split is slower")


def shifted(**levels):
    """Returns figures of pipelines that are exactly proportional to each other."""
    wave = [100.0, 101, 99, 100.5, 99.5, 100, 100.2]
    return {pipeline.replace("_", ":"): [level * part for part in wave] for pipeline, level in levels.items()}


def test_a_certain_but_small_gain_is_reported_as_such():
    verdict = verdict_of(rows_of(shifted(feed=1, queue=1.02, dataset_split=0.99)), "feed")
    assert verdict.winner is None
    assert verdict.sentence == (
        "nothing is shown to be more than 3 % faster than feed; with feed, the step waits for input 41 % of the time; "
        "queue is 1.02 to 1.02 times as fast; a gain above 3 % is excluded"
    )
    verdict = verdict_of(rows_of(shifted(feed=1, queue=1.0293)), "feed")
    assert verdict.sentence.endswith("; queue is 1.03 to 1.03 times as fast; a gain above 3 % is excluded")
    verdict = verdict_of(rows_of(shifted(feed=1, queue=1.02, dataset_split=1.5)), "feed")
    assert verdict.winner == "dataset:split"
    assert verdict.sentence.endswith("; nothing else is shown to differ by more than 3 %")


def test_the_excluded_gain_is_rounded_up():
    figures = {"feed": [100.0] * 7, "queue": [103.0, 103.52, 103, 102.48, 103, 103.52, 102.48]}
    most = compare_all(figures, "feed")["queue"].high
    assert 100 * (most - 1) % 1 < 0.5  # otherwise rounding to the nearest number would be enough
    verdict = verdict_of(rows_of(figures), "feed")
    assert verdict.sentence.endswith("a gain above {} % is excluded".format(1 + int(100 * (most - 1))))


def test_noise_makes_a_verdict_inconclusive():
    figures = {"feed": [100.0, 150, 60, 130, 80], "queue": [120.0, 70, 140, 90, 160]}
    verdict = verdict_of(rows_of(figures), "feed")
    assert verdict.winner is None
    assert verdict.sentence.startswith("inconclusive: too noisy, queue is 0.")
    assert verdict.sentence.endswith(" times as fast as feed") and len(verdict.sentence) < 80
    assert verdict.evidence[-1].endswith("use more --rounds or --steps")


def test_synthetic_is_not_recommended():
    verdict = verdict_of(rows_of(steady(synthetic=300, feed=100, queue=101)), "feed")
    assert verdict.winner is None and "synthetic" not in verdict.sentence


def test_different_estimates_of_waiting_are_reported():
    verdict = verdict_of(rows_of(steady(feed=100, queue=101), waits=(0.4, 0.2)), "feed")
    assert verdict.evidence[0].endswith("20 % by trace; the two differ")


@pytest.mark.parametrize(
    "rows, start",
    [
        ([row("feed", [1.0] * 5)], "only feed was measured: there is nothing to compare it with"),
        ([row("feed"), row("queue", [1.0] * 5)], "no verdict: feed, the current candidate, failed; of the others"),
        ([row("feed"), row("queue")], "no verdict: every candidate failed"),
    ],
    ids=["one pipeline", "the current one failed", "all failed"],
)
def test_the_verdict_without_two_measured_candidates(rows, start):
    verdict = verdict_of(rows, "feed")
    assert verdict.sentence.startswith(start) and verdict.winner is None
    assert [line for line in verdict.evidence if "failed" in line] == [
        "{} failed: it broke".format(each.candidate) for each in rows if each.failed
    ]


def proof(name, expected, agrees):
    return Proof(name, 4, expected, agrees, [], None, None, None, None, "")


PROOFS = [
    proof("mean", "current", None), proof("tree", "same", True), proof("half", "rounded", True),
    proof("free", "other", None), proof("wrong", "same", False), proof("drawn", "same", None),
]


@pytest.mark.parametrize(
    "levels, winner, start, end",
    [
        ({"mean": 100, "tree": 130, "free": 200}, "tree", "tree is 1.30 \u00b1 ",
         " times as fast, but computes something else by design"),
        ({"mean": 100, "tree": 130, "wrong": 200}, "tree", "tree is 1.30 \u00b1 ",
         " times as fast, but its numbers differ"),
        ({"mean": 100, "tree": 100, "free": 200}, None, "nothing is measurably faster than mean; a gain above ",
         "but computes something else by design"),
        ({"mean": 100, "free": 200}, None, "nothing else computes the same as mean; free is 2.00 \u00b1 ", "by design"),
        ({"mean": 100, "tree": 130, "free": 90}, "tree", "tree is 1.30 \u00b1 ", " times as fast as mean"),
        ({"mean": 100, "half": 150}, "half", "half is 1.50 \u00b1 ", " times as fast as mean"),
        ({"mean": 100, "drawn": 150}, "drawn", "drawn is 1.50 \u00b1 ",
         " times as fast as mean; whether drawn computes the same as mean was not compared: check this before "
         "switching"),
        ({"mean": 100, "tree": 150, "drawn": 130}, "tree", "tree is 1.50 \u00b1 ",
         "; whether drawn computes the same as mean was not compared: check this before switching"),
        ({"mean": 100, "tree": 150, "drawn": 90}, "tree", "tree is 1.50 \u00b1 ", "; drawn is slower"),
    ],
    ids=["by design", "wrong", "only by design", "nothing else", "slower by design", "rounded", "not compared",
         "not compared and second", "not compared and slower"],
)
def test_candidates_with_other_numbers_are_reported_but_not_recommended(levels, winner, start, end):
    rows = [each._replace(waiting=None, ratio_to_synthetic=None) for each in rows_of(steady(**levels))]
    verdict = verdict_of(rows, "mean", PROOFS)
    assert verdict.winner == winner
    assert verdict.sentence.startswith(start) and verdict.sentence.endswith(end)
    assert len(verdict.evidence) == len(levels) - 1  # those that are not recommended are included
