"""The verdict is right on planted figures, and its sentence says what they show."""
import pytest
from planted_figures import rates, row

from legacy_towers.compare.verdict import verdict_of
from legacy_towers.measure.statistics import compare_all
from legacy_towers.report.document import Proof

WAYS = [
    "feed", "feed:background", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded",
    "dataset:per_device", "feed+staged", "queue+staged", "dataset:split+staged", "dataset:next_per_tower+staged",
    "dataset:sharded+staged",
]


def rows_of(figures, **others):
    return [row(way, figures[way], **others) for way in figures]


@pytest.mark.parametrize("count", [2, 5, 12], ids="{} ways".format)
@pytest.mark.parametrize("noise", [0.01, 0.025], ids="noise {}".format)
@pytest.mark.parametrize("winner", ["queue", None], ids=["a winner", "ties"])
def test_right_in_20_of_20(winner, noise, count):
    ways = ["feed", "queue"] + [way for way in WAYS if way not in ("feed", "queue")][: count - 2]
    wrong = []
    for seed in range(20):
        verdict = verdict_of(rows_of(rates(seed, ways, 7, noise, winner, 1.5)), "feed")
        if verdict.winner != winner or winner and count > 2 and "nothing else is " not in verdict.sentence:
            wrong.append((seed, verdict.sentence))
    assert wrong == []


def test_the_sentence_of_a_winner():
    figures = {
        "feed": [100.0, 101, 99, 100, 100, 102, 98],
        "queue": [100.0, 100, 99, 101, 100, 102, 98],
        "dataset:next_per_tower+staged": [162.0, 163, 161, 162, 160, 165, 159],
    }
    verdict = verdict_of(rows_of(figures), "feed")
    assert verdict.winner == "dataset:next_per_tower+staged"
    start, middle, end = verdict.sentence.split("; ")
    assert start == "input waits 41 % of the step by feed"
    assert middle.startswith("dataset:next_per_tower+staged is 1.62 \u00b1 0.0") and middle.endswith(" times faster")
    assert end == "nothing else is measurably different"
    assert verdict.evidence[0] == "feed: 41 % of the step waits for input by replay, 40 % by trace"
    assert verdict.evidence[1].startswith("dataset:next_per_tower+staged: 1.62 \u00b1 ")
    assert verdict.evidence[2].startswith("queue: 1.00 \u00b1 ")
    assert verdict.evidence[3] == "without any input (synthetic) the step would be 1.67 times as fast as by feed"


def steady(**levels):
    wave = [1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.002]
    return {way.replace("__", "+").replace("_", ":"): [level * part for part in wave[n:] + wave[:n]]
            for n, (way, level) in enumerate(levels.items())}


def test_who_is_as_fast_as_the_winner_who_less_and_who_slower():
    figures = steady(feed=100, queue=200, dataset_split=199, dataset_sharded=150, dataset_x=60)
    verdict = verdict_of(rows_of(figures), "feed")
    assert verdict.winner == "queue"
    assert "dataset:split is not measurably different from it" in verdict.sentence
    assert "dataset:sharded is faster than feed too, but less" in verdict.sentence
    assert "dataset:x is slower" in verdict.sentence and "nothing else" not in verdict.sentence


def test_staging_that_adds_nothing_is_not_advised():
    verdict = verdict_of(rows_of(steady(feed=100, queue=200, queue__staged=203)), "feed")
    assert verdict.winner == "queue"
    assert verdict_of(rows_of(steady(feed=100, queue=200, queue__staged=230)), "feed").winner == "queue+staged"


def test_a_tie_says_what_gain_is_excluded():
    verdict = verdict_of(rows_of(steady(feed=100, queue=101, dataset_split=70)), "feed")
    assert verdict.winner is None
    assert verdict.sentence.startswith(
        "nothing is measurably faster than feed, by which input waits 41 % of the step; a gain above "
    )
    assert verdict.sentence.endswith("dataset:split is slower")


def shifted(**levels):
    """Ways whose turns differ from feed's by exactly their level."""
    wave = [100.0, 101, 99, 100.5, 99.5, 100, 100.2]
    return {way.replace("_", ":"): [level * part for part in wave] for way, level in levels.items()}


def test_a_gain_that_is_certain_but_small_is_not_called_none():
    verdict = verdict_of(rows_of(shifted(feed=1, queue=1.02, dataset_split=0.99)), "feed")
    assert verdict.winner is None
    assert verdict.sentence == (
        "nothing is shown to be more than 3 % faster than feed, by which input waits 41 % of the step; queue is "
        "1.02 to 1.02 times as fast; a gain above 3 % is excluded"
    )
    verdict = verdict_of(rows_of(shifted(feed=1, queue=1.0293)), "feed")
    assert verdict.sentence.endswith("; queue is 1.03 to 1.03 times as fast; a gain above 3 % is excluded")
    verdict = verdict_of(rows_of(shifted(feed=1, queue=1.02, dataset_split=1.5)), "feed")
    assert verdict.winner == "dataset:split"
    assert verdict.sentence.endswith("; nothing else is shown to differ by more than 3 %")


def test_what_is_excluded_is_rounded_up():
    figures = {"feed": [100.0] * 7, "queue": [103.0, 103.52, 103, 102.48, 103, 103.52, 102.48]}
    most = compare_all(figures, "feed")["queue"].high
    assert 100 * (most - 1) % 1 < 0.5  # else the nearest number would do
    verdict = verdict_of(rows_of(figures), "feed")
    assert verdict.sentence.endswith("a gain above {} % is excluded".format(1 + int(100 * (most - 1))))


def test_noise_forbids_a_verdict():
    figures = {"feed": [100.0, 150, 60, 130, 80], "queue": [120.0, 70, 140, 90, 160]}
    verdict = verdict_of(rows_of(figures), "feed")
    assert verdict.winner is None
    assert verdict.sentence.startswith("noise forbids a verdict: against feed, queue could be anything from 0.")


def test_synthetic_is_no_candidate():
    verdict = verdict_of(rows_of(steady(synthetic=300, feed=100, queue=101)), "feed")
    assert verdict.winner is None and "synthetic" not in verdict.sentence


def test_the_two_figures_of_waiting_differ():
    verdict = verdict_of(rows_of(steady(feed=100, queue=101), waits=(0.4, 0.2)), "feed")
    assert verdict.evidence[0].endswith("20 % by trace; the two differ")


@pytest.mark.parametrize(
    "rows, words",
    [
        ([row("feed", [1.0] * 5)], "only feed was measured: there is nothing to compare it with"),
        ([row("feed"), row("queue", [1.0] * 5)], "no verdict: feed, the one to compare with, failed; of those that"),
        ([row("feed"), row("queue")], "no verdict: every candidate failed"),
    ],
    ids=["one way", "the current one failed", "all failed"],
)
def test_too_little_to_compare(rows, words):
    verdict = verdict_of(rows, "feed")
    assert verdict.sentence.startswith(words) and verdict.winner is None
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
        ({"mean": 100, "tree": 130, "free": 90}, "tree", "tree is 1.30 \u00b1 ", " times faster"),
        ({"mean": 100, "half": 150}, "half", "half is 1.50 \u00b1 ", " times faster"),
        ({"mean": 100, "drawn": 150}, "drawn", "drawn is 1.50 \u00b1 ",
         " times faster; whether drawn computes the same as mean was not compared: check it before you change over"),
        ({"mean": 100, "tree": 150, "drawn": 130}, "tree", "tree is 1.50 \u00b1 ",
         "; whether drawn computes the same as mean was not compared: check it before you change over"),
        ({"mean": 100, "tree": 150, "drawn": 90}, "tree", "tree is 1.50 \u00b1 ", "; drawn is slower"),
    ],
    ids=["by design", "wrong", "only by design", "nothing else", "slower by design", "rounded", "not known",
         "not known and second", "not known and slower"],
)
def test_what_computes_something_else_is_told_but_not_advised(levels, winner, start, end):
    rows = [each._replace(waiting=None, ratio_to_synthetic=None) for each in rows_of(steady(**levels))]
    verdict = verdict_of(rows, "mean", PROOFS)
    assert verdict.winner == winner
    assert verdict.sentence.startswith(start) and verdict.sentence.endswith(end)
    assert len(verdict.evidence) == len(levels) - 1  # also of those that aren't advised
