"""The columns of the table of figures, which depend on the subject of the comparison."""
from typing import Any, Callable, List, NamedTuple, Optional

from legacy_towers.report import figures, proofs
from legacy_towers.report.document import INPUTS, Document, Row


class Column(NamedTuple):
    """One column after that of the candidates' names.

    Attributes:
      title: the title in the terminal.
      full_title: the title on the page.
      cell: returns the text for a row with figures; None or "" if nothing was measured.
      is_text: whether the column has text instead of figures.
    """

    title: str
    full_title: str
    cell: Callable[[Row], Optional[str]]
    is_text: bool = False


def columns_of(document: Document, waits: Callable[[Row], Optional[str]] = figures.waits) -> List[Column]:
    """Returns the columns for a comparison, without scaling."""
    columns = [Column("examples/s", "examples/s", lambda row: figures.with_spread(row.examples_per_second))]
    if document.subject != INPUTS:
        columns.append(Column(
            "updates/s", "updates/s",
            lambda row: None if row.updates_per_second is None else figures.number(row.updates_per_second.median),
        ))
    columns += [
        Column("p50 ms", "p50 ms", lambda row: _number(row.step_ms_p50)),
        Column("p95 ms", "p95 ms", lambda row: _number(row.step_ms_p95)),
    ]
    if document.subject == INPUTS:
        columns.append(Column("waits", "waits", waits))
    columns += [
        Column("cores", "CPU cores", lambda row: None if row.cpu_cores is None else "{:.2f}".format(
            row.cpu_cores.median
        )),
        Column("peak MB", "peak MB", lambda row: figures.megabytes(row.peak_memory_bytes)),
    ]
    if document.subject == INPUTS:
        return columns + [
            Column("MB fed (copied)", "MB fed (copied)", figures.fed),
            Column("/ synthetic", "of synthetic", lambda row: figures.with_spread(row.ratio_to_synthetic, decimals=2)),
        ]
    columns.append(
        Column("/ current", "of current", lambda row: figures.with_spread(row.ratio_to_current, decimals=2))
    )
    if document.proofs:
        columns.append(Column("numbers", "numbers", _numbers(document), is_text=True))
    return columns


def _number(value: Optional[float]) -> Optional[str]:
    return None if value is None else figures.number(value)


def _numbers(document: Document) -> Callable[[Row], Any]:
    states = {towers: proofs.short_states(document, towers) for towers in figures.tower_counts(document)}
    return lambda row: states[row.towers].get(row.candidate)
