"""Formats a comparison for the terminal: tables per number of towers, scaling, parity or proofs, and the verdict."""
from typing import Dict, List, Optional, Tuple

from legacy_towers.report import figures, plans, proofs
from legacy_towers.report.columns import Column, columns_of
from legacy_towers.report.document import INPUTS, SAME_ROUNDING, Document, Parity, Row, Verdict
from legacy_towers.text.tables import format_table
from legacy_towers.text.terminal import FILE, GREEN, RED, Layout

# In a file, a wider table of scaling is printed without intervals; on a terminal it is wrapped.
_WIDTH = 120
_TWICE = (
    "* The two estimates of waiting differ by more than 5 points: by replaying one cached batch | from the trace."
)


def format_document(document: Document, layout: Layout = FILE) -> str:
    """Returns the comparison as lines of text, without a newline at the end.

    Candidates are sorted: synthetic, then the others by speed, then failed ones. A figure is the median over rounds,
    with half the length of its 95 % interval; p50 and p95 are milliseconds per step; MB are 10^6 bytes.

    Args:
      layout: the width and colours; by default those of a file, with sentences wrapped at 120 columns.
    """
    counts = figures.tower_counts(document)
    parts = [_head(document, layout)]
    parts += [_at(document, towers, layout) for towers in counts]
    if any(row.towers > 1 and row.speedup_over_one_tower is not None for row in document.rows):
        parts.append(_scaling(document, counts, layout))
    parts.append(_plans(document, counts, layout))
    parts.append(_parity(document, counts, layout))
    parts.append(_proofs(document, counts, layout))
    parts.append(_verdicts(document, counts, layout))
    return "\n\n".join(part for part in parts if part)


def _head(document: Document, layout: Layout) -> str:
    lines = []
    for title, pairs in figures.facts(document):
        texts = ["{} {}".format(name, value) for name, value in pairs]
        lines.append(layout.sentence("{}: {}".format(title, "; ".join(texts))))
    return "\n".join(lines)


def _at(document: Document, towers: int, layout: Layout) -> str:
    rows = figures.rows_at(document, towers)
    columns = columns_of(document, _waits)
    titles = [figures.labels_of(document).column] + [column.title for column in columns]
    align = "l" + "".join("l" if column.is_text else "r" for column in columns)
    verdict = document.verdicts.get(str(towers))
    winner = None if verdict is None else verdict.winner
    colours = [RED if row.failed is not None else GREEN if row.candidate == winner else None for row in rows]
    table = layout.table(titles, [_cells(row, columns) for row in rows], align, colours)
    lines = [figures.towers_text(towers), table]
    if any(row.waiting is not None and row.waiting.differ for row in rows):
        lines.append(layout.sentence(_TWICE))
    for names, sentence in figures.failures(rows):
        lines.append(layout.sentence("{} failed: {}".format(", ".join(names), sentence), colour=RED))
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


def _scaling(document: Document, counts: List[int], layout: Layout) -> str:
    by_place = {(row.candidate, row.towers): row for row in document.rows}
    names = figures.candidates_of(figures.flat(figures.rows_at(document, towers) for towers in reversed(counts)))
    titles = ["speed-up over one tower"] + [figures.towers_text(towers) for towers in counts]
    lines = _scaling_lines(by_place, names, counts, True)
    align = "l" + "r" * len(counts)
    if layout.width is None and max(map(len, format_table(titles, lines, align).splitlines())) > _WIDTH:
        lines = _scaling_lines(by_place, names, counts, False)
    return "scaling\n" + layout.table(titles, lines, align)


def _scaling_lines(
    by_place: Dict[Tuple[str, int], Row], names: List[str], counts: List[int], spreads: bool
) -> List[List[Optional[str]]]:
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
    return lines


def _plans(document: Document, counts: List[int], layout: Layout) -> str:
    if document.subject == INPUTS:
        return ""
    lines = []
    for towers in counts:
        for names, line in plans.lines_at(document, towers):
            where = "" if len(counts) == 1 else "{}, ".format(figures.towers_text(towers))
            lines.append(layout.sentence("{}{}: {}".format(where, ", ".join(names), line)))
    return "\n".join(["plan"] + lines) if lines else ""


def _parity(document: Document, counts: List[int], layout: Layout) -> str:
    lines = ["parity"] if document.parity else []
    for towers in counts:
        items = figures.parity_at(document, towers)
        if items:
            sentence = figures.parity_sentence(items)
            lines.append(layout.sentence("{}: {}.".format(figures.towers_text(towers), sentence)))
            lines += [_parity_line(item, layout) for item in items if figures.parity_state(item) != "same"]
    return "\n".join(lines)


def _parity_line(item: Parity, layout: Layout) -> str:
    state = figures.parity_state(item)
    if state == "rounding":
        return layout.sentence("  {}: {}: {}".format(item.candidate, SAME_ROUNDING, item.sentence), "    ")
    if state != "different":
        return layout.sentence("  {}: {}".format(item.candidate, item.sentence), "    ")
    place = figures.place_of(item)
    place = place and " at {}".format(place)
    sentence = item.sentence if item.first_difference is None else item.first_difference.sentence
    return layout.sentence("  {} differs{}: {}".format(item.candidate, place, sentence), "    ")


def _proofs(document: Document, counts: List[int], layout: Layout) -> str:
    lines = ["numbers"] if document.proofs else []
    for towers in counts:
        items = proofs.proofs_at(document, towers)
        if items:
            summary = proofs.summary(document, towers)
            lines.append(layout.sentence("{}: {}.".format(figures.towers_text(towers), summary)))
            lines += [
                layout.sentence("  {}: {}".format(", ".join(names), sentence), "    ")
                for names, _, sentence in proofs.sentences(items)
            ]
    return "\n".join(lines)


def _verdicts(document: Document, counts: List[int], layout: Layout) -> str:
    parts = []
    for towers in counts:
        verdict = document.verdicts.get(str(towers))
        if verdict is not None:
            title = "verdict" if len(counts) == 1 else "verdict, {}".format(figures.towers_text(towers))
            parts.append(_verdict(title, verdict, layout))
    return "\n".join(parts)


def _verdict(title: str, verdict: Verdict, layout: Layout) -> str:
    colour = None if verdict.winner is None else GREEN
    lines = [layout.sentence("{}: {}".format(title, verdict.sentence), colour=colour)]
    return "\n".join(lines + [layout.sentence("  - {}".format(line), "    ") for line in verdict.evidence])
