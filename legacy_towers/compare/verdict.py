"""The answer in one sentence, from the figures alone."""
import math
from typing import Dict, List, Sequence

from legacy_towers.compare.candidates import STAGED, SYNTHETIC
from legacy_towers.measure.statistics import Interval, compare_all
from legacy_towers.report.document import Row, Verdict

# A gain that is worth telling: below it the way is not worth changing, and a machine's noise is close.
SMALLEST_GAIN = 0.03
# Where a gain of this size can't be excluded, and none can be shown either, noise forbids a verdict.
OPEN_GAIN = 0.10
_LITTLE = "{:.0f} %".format(100 * SMALLEST_GAIN)
_WIDE = 0.2


def verdict_of(rows: Sequence[Row], current: str) -> Verdict:
    """Returns the verdict on the rows of one number of towers.

    A way is faster (or slower) than the current one if the whole interval of its ratio lies beyond the smallest gain;
    the intervals of all ways hold together with 95 % confidence.
    """
    by_way = {row.way: row for row in rows}
    rates = {
        row.way: row.examples_per_second.rounds
        for row in rows if row.examples_per_second is not None and row.way != SYNTHETIC
    }
    evidence = ["{} failed: {}".format(row.way, row.failed) for row in rows if row.failed is not None]
    if current not in rates:
        return _without_current(by_way, rates, current, evidence)
    if len(rates) == 1:
        sentence = "only {} was measured: there is nothing to compare it with".format(current)
        return Verdict(sentence, None, _waits(by_way[current]) + evidence)
    ratios = compare_all(rates, current)
    faster = [way for way in ratios if ratios[way].low > 1 + SMALLEST_GAIN]
    slower = [way for way in ratios if ratios[way].high < 1 / (1 + SMALLEST_GAIN)]
    evidence = _waits(by_way[current]) + [
        "{}: {} times {}".format(way, _figure(ratios[way]), current)
        for way in sorted(ratios, key=lambda way: -ratios[way].median)
    ] + _ceiling(by_way, current) + evidence
    if faster:
        winner = _best(faster, ratios)
        return Verdict(_gain_sentence(winner, faster, slower, rates, ratios, by_way[current]), winner, evidence)
    widest = max(ratios, key=lambda way: ratios[way].high)
    if ratios[widest].high > 1 + OPEN_GAIN:
        sentence = (
            "noise forbids a verdict: against {}, {} could be anything from {:.2f} to {:.2f} times as fast; let "
            "nothing else run, or take more --rounds or --steps".format(
                current, widest, ratios[widest].low, ratios[widest].high
            )
        )
        return Verdict(sentence, None, evidence)
    return Verdict(_stay_sentence(current, slower, ratios, by_way[current]), None, evidence)


def _gain_sentence(
    winner: str, faster: Sequence[str], slower: Sequence[str], rates: Dict[str, List[float]],
    ratios: Dict[str, Interval], current: Row,
) -> str:
    words = []
    if current.waiting is not None:
        words.append("input waits {:.0f} % of the step by {}".format(
            100 * current.waiting.by_replay.median, current.way
        ))
    words.append("{} is {} times faster".format(winner, _figure(ratios[winner])))
    against = compare_all(rates, winner)
    equal = [way for way in faster if way != winner and against[way].high > 1 / (1 + SMALLEST_GAIN)]
    less = [way for way in faster if way != winner and way not in equal]
    if equal:
        words.append("{} {} not measurably different from it".format(_listed(equal), _is(equal)))
    if less:
        words.append("{} {} faster than {} too, but less".format(_listed(less), _is(less), current.way))
    if slower:
        words.append("{} {} slower".format(_listed(slower), _is(slower)))
    others = [ratios[way] for way in ratios if way not in faster and way not in slower]
    if any(other.low > 1 or other.high < 1 for other in others):
        words.append("nothing else is shown to differ by more than {}".format(_LITTLE))
    elif others:
        words.append("nothing else is measurably different")
    return "; ".join(words)


def _stay_sentence(current: str, slower: Sequence[str], ratios: Dict[str, Interval], row: Row) -> str:
    little = [way for way in ratios if ratios[way].low > 1]
    words = ["nothing is measurably faster than {}".format(current)]
    if little:
        words = ["nothing is shown to be more than {} faster than {}".format(_LITTLE, current)]
    if row.waiting is not None:
        words[0] += ", by which input waits {:.0f} % of the step".format(100 * row.waiting.by_replay.median)
    words += ["{} is {:.2f} to {:.2f} times as fast".format(way, ratios[way].low, ratios[way].high) for way in little]
    most = max(interval.high for interval in ratios.values())
    # Rounded up: what the figures exclude, and no more.
    excluded = math.ceil(round(100 * max(SMALLEST_GAIN, most - 1), 6))
    words.append("a gain above {} % is excluded".format(excluded))
    if slower:
        words.append("{} {} slower".format(_listed(slower), _is(slower)))
    return "; ".join(words)


def _without_current(
    by_way: Dict[str, Row], rates: Dict[str, List[float]], current: str, evidence: List[str]
) -> Verdict:
    if not rates:
        return Verdict("no verdict: every way in failed", None, evidence)
    best = max(rates, key=lambda way: sorted(rates[way])[len(rates[way]) // 2])
    sentence = "no verdict: {}, the way to compare with, failed; of those that ran, {} was the fastest".format(
        current, best
    )
    return Verdict(sentence, None, evidence)


def _best(faster: Sequence[str], ratios: Dict[str, Interval]) -> str:
    """The fastest; but what staging adds must be worth telling."""
    best = max(faster, key=lambda way: ratios[way].median)
    plain = best[: -len(STAGED)] if best.endswith(STAGED) else best
    if plain in faster and ratios[plain].median * (1 + SMALLEST_GAIN) > ratios[best].median:
        return plain
    return best


def _waits(row: Row) -> List[str]:
    if row.waiting is None:
        return []
    line = "{}: {:.0f} % of the step waits for input by replay, {:.0f} % by trace".format(
        row.way, 100 * row.waiting.by_replay.median, 100 * row.waiting.by_trace.median
    )
    return [line + ("; the two differ" if row.waiting.differ else "")]


def _ceiling(by_way: Dict[str, Row], current: str) -> List[str]:
    ratio = by_way[current].ratio_to_synthetic
    if ratio is None or ratio.median <= 0:
        return []
    return ["without any input (synthetic) the step would be {:.2f} times as fast as by {}".format(
        1 / ratio.median, current
    )]


def _figure(interval: Interval) -> str:
    half = (interval.high - interval.low) / 2
    if half > _WIDE * interval.median:  # then the interval, of a logarithm, is lopsided
        return "{:.2f} ({:.2f} to {:.2f})".format(*interval)
    return "{:.2f} \u00b1 {:.2f}".format(interval.median, half)


def _listed(ways: Sequence[str]) -> str:
    return ways[0] if len(ways) == 1 else "{} and {}".format(", ".join(ways[:-1]), ways[-1])


def _is(ways: Sequence[str]) -> str:
    return "is" if len(ways) == 1 else "are"
