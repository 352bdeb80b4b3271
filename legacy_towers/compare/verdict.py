"""Derives the verdict of a comparison, one sentence, from the measured figures."""
import math
from typing import Dict, List, Sequence

from legacy_towers.measure.statistics import Interval, compare_all
from legacy_towers.report.document import Proof, Row, Verdict
from legacy_towers.report.proofs import state_of
from legacy_towers.specs.pipelines import STAGED, SYNTHETIC
from legacy_towers.text.names import listed

# The smallest gain that is reported: below it a change is not worth making, and a machine's noise is close.
SMALLEST_GAIN = 0.03
# Where a gain of this size can be neither shown nor excluded, the verdict is inconclusive.
OPEN_GAIN = 0.10
_LITTLE = "{:.0f} %".format(100 * SMALLEST_GAIN)
_WIDE = 0.2
_WRAPPED = STAGED + "+"
# States of a proof whose candidates are not recommended, however fast.
_OTHER_NUMBERS = {"other": "computes something else by design", "differs": "its numbers differ"}


def verdict_of(rows: Sequence[Row], current: str, proofs: Sequence[Proof] = ()) -> Verdict:
    """Returns the verdict on the rows of one number of towers.

    A candidate is faster (or slower) than the current one if the whole interval of its ratio lies beyond the smallest
    gain; the intervals of all hold together with 95 % confidence. One that does not compute the same as the current one
    is not recommended, however fast. Where it is not known what a faster one computes, the sentence says so.

    Args:
      proofs: whether the candidates compute the same numbers; empty where that was not checked.
    """
    by_name = {row.candidate: row for row in rows}
    rates = {
        row.candidate: row.examples_per_second.rounds
        for row in rows if row.examples_per_second is not None and row.candidate != SYNTHETIC
    }
    evidence = ["{} failed: {}".format(row.candidate, row.failed) for row in rows if row.failed is not None]
    if current not in rates:
        return _without_current(rates, current, evidence)
    if len(rates) == 1:
        sentence = "only {} was measured: there is nothing to compare it with".format(current)
        return Verdict(sentence, None, _waits(by_name[current]) + evidence)
    states = {proof.candidate: state_of(proof) for proof in proofs}
    ratios = compare_all(rates, current)
    evidence = _waits(by_name[current]) + [
        "{}: {} times {}".format(name, _figure(ratios[name]), current)
        for name in sorted(ratios, key=lambda name: -ratios[name].median)
    ] + _ceiling(by_name, current) + evidence
    others = {name: ratios.pop(name) for name in list(ratios) if states.get(name) in _OTHER_NUMBERS}
    rates = {name: rates[name] for name in rates if name not in others}
    verdict = _verdict(ratios, rates, by_name[current], evidence)
    clauses = [verdict.sentence] + _of_others(others, states) + _of_unknown(ratios, states, current)
    return verdict._replace(sentence="; ".join(clauses))


def _verdict(
    ratios: Dict[str, Interval], rates: Dict[str, List[float]], row: Row, evidence: List[str]
) -> Verdict:
    """Returns the verdict on the candidates that compute the same as the current one."""
    current = row.candidate
    if not ratios:
        return Verdict("nothing else computes the same as {}".format(current), None, evidence)
    faster = [name for name in ratios if _is_faster(ratios[name])]
    slower = [name for name in ratios if ratios[name].high < 1 / (1 + SMALLEST_GAIN)]
    if faster:
        winner = _best(faster, ratios)
        return Verdict(_gain_sentence(winner, faster, slower, rates, ratios, row), winner, evidence)
    widest = max(ratios, key=lambda name: ratios[name].high)
    if ratios[widest].high > 1 + OPEN_GAIN:
        sentence = "inconclusive: too noisy, {} is {:.2f} to {:.2f} times as fast as {}".format(
            widest, ratios[widest].low, ratios[widest].high, current
        )
        advice = "for a narrower interval, run nothing else on the machine, or use more --rounds or --steps"
        return Verdict(sentence, None, evidence + [advice])
    return Verdict(_stay_sentence(current, slower, ratios, row), None, evidence)


def _of_others(ratios: Dict[str, Interval], states: Dict[str, str]) -> List[str]:
    """Returns a clause for each faster candidate that computes something else."""
    clauses = []
    for state, reason in _OTHER_NUMBERS.items():
        names = [name for name in ratios if states[name] == state]
        faster = sorted(filter(lambda name: _is_faster(ratios[name]), names), key=lambda name: -ratios[name].median)
        clauses += ["{} is {} times as fast, but {}".format(name, _figure(ratios[name]), reason) for name in faster]
    return clauses


def _of_unknown(ratios: Dict[str, Interval], states: Dict[str, str], current: str) -> List[str]:
    """Returns a clause on the faster candidates whose numbers were not compared."""
    names = [name for name in ratios if _is_faster(ratios[name]) and states.get(name) == "not compared"]
    if not names:
        return []
    return ["whether {} compute{} the same as {} was not compared: check this before switching".format(
        listed(names), "s" if len(names) == 1 else "", current
    )]


def _is_faster(ratio: Interval) -> bool:
    return ratio.low > 1 + SMALLEST_GAIN


def _gain_sentence(
    winner: str, faster: Sequence[str], slower: Sequence[str], rates: Dict[str, List[float]],
    ratios: Dict[str, Interval], current: Row,
) -> str:
    clauses = []
    if current.waiting is not None:
        clauses.append(_wait_clause(current))
    clauses.append("{} is {} times as fast as {}".format(winner, _figure(ratios[winner]), current.candidate))
    against = compare_all(rates, winner)
    equal = [name for name in faster if name != winner and against[name].high > 1 / (1 + SMALLEST_GAIN)]
    less = [name for name in faster if name != winner and name not in equal]
    if equal:
        clauses.append("{} {} not measurably different from it".format(listed(equal), _is(equal)))
    if less:
        clauses.append("{} {} faster than {} too, but less".format(listed(less), _is(less), current.candidate))
    if slower:
        clauses.append("{} {} slower".format(listed(slower), _is(slower)))
    others = [ratios[name] for name in ratios if name not in faster and name not in slower]
    if any(other.low > 1 or other.high < 1 for other in others):
        clauses.append("nothing else is shown to differ by more than {}".format(_LITTLE))
    elif others:
        clauses.append("nothing else is measurably different")
    return "; ".join(clauses)


def _stay_sentence(current: str, slower: Sequence[str], ratios: Dict[str, Interval], row: Row) -> str:
    little = [name for name in ratios if ratios[name].low > 1]
    clauses = ["nothing is measurably faster than {}".format(current)]
    if little:
        clauses = ["nothing is shown to be more than {} faster than {}".format(_LITTLE, current)]
    if row.waiting is not None:
        clauses.append(_wait_clause(row))
    clauses += [
        "{} is {:.2f} to {:.2f} times as fast".format(name, ratios[name].low, ratios[name].high) for name in little
    ]
    most = max(interval.high for interval in ratios.values())
    # Rounded up, so that no smaller gain is excluded than the figures exclude.
    excluded = math.ceil(round(100 * max(SMALLEST_GAIN, most - 1), 6))
    clauses.append("a gain above {} % is excluded".format(excluded))
    if slower:
        clauses.append("{} {} slower".format(listed(slower), _is(slower)))
    return "; ".join(clauses)


def _without_current(rates: Dict[str, List[float]], current: str, evidence: List[str]) -> Verdict:
    if not rates:
        return Verdict("no verdict: every candidate failed", None, evidence)
    best = max(rates, key=lambda name: sorted(rates[name])[len(rates[name]) // 2])
    sentence = "no verdict: {}, the current candidate, failed; of the others, {} was the fastest".format(
        current, best
    )
    return Verdict(sentence, None, evidence)


def _best(faster: Sequence[str], ratios: Dict[str, Interval]) -> str:
    """Returns the fastest; a staged pipeline only if staging adds at least the smallest gain."""
    best = max(faster, key=lambda name: ratios[name].median)
    plain = best[len(_WRAPPED) :] if best.startswith(_WRAPPED) else best
    if plain in faster and ratios[plain].median * (1 + SMALLEST_GAIN) > ratios[best].median:
        return plain
    return best


def _waits(row: Row) -> List[str]:
    if row.waiting is None:
        return []
    line = "with {}, the step waits for input {:.0f} % of the time by replay, {:.0f} % by trace".format(
        row.candidate, 100 * row.waiting.by_replay.median, 100 * row.waiting.by_trace.median
    )
    return [line + ("; the two differ" if row.waiting.differ else "")]


def _wait_clause(row: Row) -> str:
    assert row.waiting is not None
    return "with {}, the step waits for input {:.0f} % of the time".format(
        row.candidate, 100 * row.waiting.by_replay.median
    )


def _ceiling(by_name: Dict[str, Row], current: str) -> List[str]:
    ratio = by_name[current].ratio_to_synthetic
    if ratio is None or ratio.median <= 0:
        return []
    return ["without any input (synthetic) the step would be {:.2f} times as fast as with {}".format(
        1 / ratio.median, current
    )]


def _figure(interval: Interval) -> str:
    half = (interval.high - interval.low) / 2
    if half > _WIDE * interval.median:  # the interval of a logarithm is then visibly asymmetric
        return "{:.2f} ({:.2f} to {:.2f})".format(*interval)
    return "{:.2f} \u00b1 {:.2f}".format(interval.median, half)


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
