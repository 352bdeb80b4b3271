"""A comparison in the terminal: tables per number of towers, scaling, parity or proofs, and the verdict at the end."""
import textwrap
from typing import Dict, List, Optional, Tuple

from legacy_towers.report import figures, plans, proofs
from legacy_towers.report.columns import Column, columns_of
from legacy_towers.report.document import INPUTS, Document, Parity, Row, Verdict
from legacy_towers.tables import format_table

WIDTH = 120  # columns
_TWICE = (
    "* Waiting was measured twice and the two differ by more than 5 points: first by replaying one cached batch, "
    "then from the trace."
)


def format_document(document: Document) -> str:
    """Returns the whole comparison as lines of at most 120 columns, without a newline at the end.

    Candidates stand with synthetic first, then the fastest first, then those that failed. A figure is the median over
    rounds, with half the length of its 95 % interval; p50 and p95 are a step's milliseconds; MB are 10^6 bytes.
    """
    counts = figures.tower_counts(document)
    parts = [_head(document)]
    parts += [_at(document, towers) for towers in counts]
    if any(row.towers > 1 and row.speedup_over_one_tower is not None for row in document.rows):
        parts.append(_scaling(document, counts))
    parts.append(_plans(document, counts))
    parts.append(_parity(document, counts))
    parts.append(_proofs(document, counts))
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
    columns = columns_of(document, _waits)
    titles = [figures.words_of(document).column] + [column.title for column in columns]
    align = "l" + "".join("l" if column.is_word else "r" for column in columns)
    lines = [figures.towers_words(towers), format_table(titles, [_cells(row, columns) for row in rows], align)]
    if any(row.waiting is not None and row.waiting.differ for row in rows):
        lines.append(_wrapped(_TWICE))
    for names, sentence in figures.failures(rows):
        lines.append(_wrapped("{} failed: {}".format(", ".join(names), sentence)))
    return "\n".join(lines)


def _cells(row: Row, columns: List[Column]) -> List[Optional[str]]:
    if row.failed is not None:
        return [row.candidate, "failed"] + [None] * (len(columns) - 1)
    return [row.candidate] + [column.cell(row) for column in columns]


def _waits(row: Row) -> Optional[str]:
    waits = figures.waits(row)
    if waits is None or row.waiting is None or not row.waiting.differ:
        return waits
    return waits.replace(" % or ", "|") + "*"


def _scaling(document: Document, counts: List[int]) -> str:
    by_place = {(row.candidate, row.towers): row for row in document.rows}
    names = figures.candidates_of(figures.flat(figures.rows_at(document, towers) for towers in reversed(counts)))
    titles = ["times one tower's examples/s"] + [figures.towers_words(towers) for towers in counts]
    table = _scaling_table(by_place, names, counts, titles, True)
    if max(len(line) for line in table.splitlines()) > WIDTH:
        table = _scaling_table(by_place, names, counts, titles, False)
    return "scaling\n" + table


def _scaling_table(
    by_place: Dict[Tuple[str, int], Row], names: List[str], counts: List[int], titles: List[str], spreads: bool
) -> str:
    lines = []
    for name in names:
        line: List[Optional[str]] = [name]
        for towers in counts:
            row = by_place.get((name, towers))
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


def _plans(document: Document, counts: List[int]) -> str:
    if document.subject == INPUTS:
        return ""
    lines = []
    for towers in counts:
        for names, line in plans.lines_at(document, towers):
            where = "" if len(counts) == 1 else "{}, ".format(figures.towers_words(towers))
            lines.append(_wrapped("{}{}: {}".format(where, ", ".join(names), line)))
    return "\n".join(["plan"] + lines) if lines else ""


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
        return _wrapped("  {}: {}".format(item.candidate, item.sentence), "    ")
    place = figures.place_of(item)
    place = place and " at {}".format(place)
    sentence = item.sentence if item.first_difference is None else item.first_difference.sentence
    return _wrapped("  {} differs{}: {}".format(item.candidate, place, sentence), "    ")


def _proofs(document: Document, counts: List[int]) -> str:
    lines = ["numbers"] if document.proofs else []
    for towers in counts:
        items = proofs.proofs_at(document, towers)
        if items:
            lines.append(_wrapped("{}: {}.".format(figures.towers_words(towers), proofs.summary(document, towers))))
            lines += [
                _wrapped("  {}: {}".format(", ".join(names), sentence), "    ")
                for names, _, sentence in proofs.sentences(items)
            ]
    return "\n".join(lines)


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
