"""A comparison in the terminal: tables per number of towers, scaling, parity, and the verdict as the last word."""
import textwrap
from typing import Dict, List, Optional, Tuple

from legacy_towers.report import figures
from legacy_towers.report.document import Document, Parity, Row, Verdict
from legacy_towers.tables import format_table

WIDTH = 120  # columns
_TITLES = ("way", "examples/s", "p50 ms", "p95 ms", "waits", "cores", "peak MB", "MB fed (copied)", "/ synthetic")
_TWICE = (
    "* Waiting was measured twice and the two differ by more than 5 points: first by replaying one cached batch, "
    "then from the trace."
)


def format_document(document: Document) -> str:
    """Returns the whole comparison as lines of at most 120 columns, without a newline at the end.

    Ways stand with synthetic first, then the fastest first, then those that failed. A figure is the median over
    rounds, with half the length of its 95 % interval; p50 and p95 are a step's milliseconds; MB are 10^6 bytes.
    """
    counts = figures.tower_counts(document)
    parts = [_head(document)]
    parts += [_at(document, towers) for towers in counts]
    if any(row.towers > 1 and row.speedup_over_one_tower is not None for row in document.rows):
        parts.append(_scaling(document, counts))
    parts.append(_parity(document, counts))
    parts.append(_verdicts(document, counts))
    return "\n\n".join(part for part in parts if part)


def _head(document: Document) -> str:
    lines = []
    for title, pairs in figures.circumstances(document):
        texts = ["{} {}".format(name, value) for name, value in pairs]
        lines.append(_wrapped("{}: {}".format(title, "; ".join(texts))))
    return "\n".join(lines)


def _at(document: Document, towers: int) -> str:
    rows = figures.rows_at(document, towers)
    lines = [figures.towers_words(towers), format_table(_TITLES, [_cells(row) for row in rows], "lrrrrrrrr")]
    if any(row.waiting is not None and row.waiting.differ for row in rows):
        lines.append(_wrapped(_TWICE))
    for ways, sentence in figures.failures(rows):
        lines.append(_wrapped("{} failed: {}".format(", ".join(ways), sentence)))
    return "\n".join(lines)


def _cells(row: Row) -> List[Optional[str]]:
    if row.failed is not None:
        return [row.way, "failed"] + [None] * (len(_TITLES) - 2)
    return [
        row.way,
        figures.with_spread(row.examples_per_second),
        None if row.step_ms_p50 is None else figures.number(row.step_ms_p50),
        None if row.step_ms_p95 is None else figures.number(row.step_ms_p95),
        _waits(row),
        None if row.cpu_cores is None else "{:.2f}".format(row.cpu_cores.median),
        figures.megabytes(row.peak_memory_bytes),
        figures.fed(row),
        figures.with_spread(row.ratio_to_synthetic, decimals=2),
    ]


def _waits(row: Row) -> Optional[str]:
    waits = figures.waits(row)
    if waits is None or row.waiting is None or not row.waiting.differ:
        return waits
    return waits.replace(" % or ", "|") + "*"


def _scaling(document: Document, counts: List[int]) -> str:
    by_place = {(row.way, row.towers): row for row in document.rows}
    ways = figures.ways_of(figures.flat(figures.rows_at(document, towers) for towers in reversed(counts)))
    titles = ["times one tower's examples/s"] + [figures.towers_words(towers) for towers in counts]
    table = _scaling_table(by_place, ways, counts, titles, True)
    if max(len(line) for line in table.splitlines()) > WIDTH:
        table = _scaling_table(by_place, ways, counts, titles, False)
    return "scaling\n" + table


def _scaling_table(
    by_place: Dict[Tuple[str, int], Row], ways: List[str], counts: List[int], titles: List[str], spreads: bool
) -> str:
    lines = []
    for way in ways:
        line: List[Optional[str]] = [way]
        for towers in counts:
            row = by_place.get((way, towers))
            speedup = None if row is None else row.speedup_over_one_tower
            if row is not None and row.failed is not None:
                line.append("failed")
            elif towers == 1 and row is not None:
                line.append("1")
            elif speedup is not None and not spreads:
                line.append("{:.2f}".format(speedup.median))
            else:
                line.append(figures.with_spread(speedup, decimals=2))
        lines.append(line)
    return format_table(titles, lines, "l" + "r" * len(counts))


def _parity(document: Document, counts: List[int]) -> str:
    lines = ["parity"] if document.parity else []
    for towers in counts:
        items = figures.parity_at(document, towers)
        if items:
            lines.append(_wrapped("{}: {}.".format(figures.towers_words(towers), figures.parity_sentence(items))))
            lines += [_parity_line(item) for item in items if figures.parity_state(item) != "same"]
    return "\n".join(lines)


def _parity_line(item: Parity) -> str:
    state = figures.parity_state(item)
    if state != "different":
        return _wrapped("  {}: {}".format(item.way, item.sentence), "    ")
    place = figures.place_of(item)
    sentence = item.sentence if item.first_difference is None else item.first_difference.sentence
    return _wrapped("  {} differs{}: {}".format(item.way, " at {}".format(place) if place else "", sentence), "    ")


def _verdicts(document: Document, counts: List[int]) -> str:
    parts = []
    for towers in counts:
        verdict = document.verdicts.get(str(towers))
        if verdict is not None:
            title = "verdict" if len(counts) == 1 else "verdict, {}".format(figures.towers_words(towers))
            parts.append(_verdict(title, verdict))
    return "\n".join(parts)


def _verdict(title: str, verdict: Verdict) -> str:
    lines = [_wrapped("{}: {}".format(title, verdict.sentence))]
    return "\n".join(lines + [_wrapped("  - {}".format(line), "    ") for line in verdict.evidence])


def _wrapped(text: str, indent: str = "  ") -> str:
    """A path or a name without spaces may be longer than a line: it is broken, so that nothing is lost."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
