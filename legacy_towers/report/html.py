"""Writes a comparison as one self-contained HTML page: no network, no scripts, no fonts; charts are inline SVG."""
import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.errors import EnvironmentProblem
from legacy_towers.report import charts, figures, plans, proofs
from legacy_towers.report.columns import columns_of
from legacy_towers.report.document import INPUTS, Document, Parity, Row, Verdict
from legacy_towers.text.files import write_whole

TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")


class _Chapter(NamedTuple):
    """The part of the page for one number of towers."""

    towers: int
    title: str  # "4 towers"
    measured: List[Row]
    failures: List[Tuple[List[str], str]]
    fastest: float  # the upper end of the axis of examples/s
    synthetic: Optional[charts.SpeedBar]
    longest_ms: float
    last_ms: float
    verdict: Optional[Verdict]


def write_html(document: Document, path: str) -> None:
    """Writes the page of a comparison atomically.

    Raises:
      ArgumentError: the file can't be written.
      EnvironmentProblem: jinja2 is not installed.
    """
    write_whole(path, page(document), "the page")


def page(document: Document) -> str:
    """Returns the page of a comparison as HTML.

    Raises:
      EnvironmentProblem: jinja2 is not installed.
    """
    jinja2 = import_jinja2()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,  # jobs and files provide names and sentences
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(charts=charts, figures=figures, plan_report=plans, proof_report=proofs)
    environment.filters["pieces"] = _pieces
    return environment.get_template("report.html").render(_contents(document))


def import_jinja2() -> Any:
    """Returns the module jinja2; call it before measuring, so that the page can be written afterwards.

    Raises:
      EnvironmentProblem: it is not installed.
    """
    try:
        import jinja2
    except ImportError as error:
        raise EnvironmentProblem(
            "the HTML page needs jinja2, which is not installed: python -m pip install jinja2"
        ) from error
    return jinja2


def _pieces(name: str) -> List[str]:
    """Splits a name where a line may break: "staged+", "dataset:", "next_", "per_", "tower"."""
    return re.findall(r"[^:+_/]*[:+_/]|[^:+_/]+", name)


def _contents(document: Document) -> Dict[str, Any]:
    counts = figures.tower_counts(document)[::-1]
    chapters = [_chapter(document, towers) for towers in counts]
    names = figures.candidates_of(figures.flat(figures.rows_at(document, towers) for towers in counts))
    parity = [(chapter.title, figures.parity_at(document, chapter.towers)) for chapter in chapters]
    parity = [(title, items) for title, items in parity if items]
    return {
        "document": document,
        "chapters": chapters,
        "headline": _headline(document, chapters),
        "panels": charts.scaling_panels(document.rows, names),
        "parity": parity,
        "parity_sentences": _parity_sentences(parity),
        "facts": figures.facts(document),
        "plans": [row for chapter in chapters for row in chapter.measured if row.plan],
        "plan_lines": [] if document.subject == INPUTS else [
            (chapter.title, plans.lines_at(document, chapter.towers)) for chapter in chapters
        ],
        "proofs": [(chapter.title, proofs.summary(document, chapter.towers), found) for chapter, found in (
            (chapter, proofs.proofs_at(document, chapter.towers)) for chapter in chapters
        ) if found],
        "columns": columns_of(document),
        "labels": figures.labels_of(document),
        "is_of_inputs": document.subject == INPUTS,
        "current": document.settings.get("current"),
    }


def _chapter(document: Document, towers: int) -> _Chapter:
    rows = figures.rows_at(document, towers)
    measured = [row for row in rows if row.failed is None]
    fastest = charts.highest(measured)
    limit = next((row.examples_per_second for row in measured if row.candidate == figures.SYNTHETIC), None)
    return _Chapter(
        towers=towers,
        title=figures.towers_text(towers),
        measured=measured,
        failures=figures.failures(rows),
        fastest=fastest,
        synthetic=None if limit is None else charts.speed_bar(limit, fastest),
        longest_ms=max([row.step_ms_p50 for row in measured if row.step_ms_p50 is not None] or [0.0]),
        last_ms=charts.last_ms(measured),
        verdict=document.verdicts.get(str(towers)),
    )


def _headline(document: Document, chapters: List[_Chapter]) -> str:
    for chapter in chapters:
        if chapter.verdict is not None:
            sentence = chapter.verdict.sentence
            # Capitalized, unless it begins with a candidate's name.
            begins_with_name = any(sentence.startswith(row.candidate) for row in document.rows)
            return sentence if begins_with_name else sentence[:1].upper() + sentence[1:]
    return "{}: {}".format(document.job, figures.labels_of(document).title)


def _parity_sentences(parity: List[Tuple[str, List[Parity]]]) -> List[Tuple[str, str]]:
    """Returns ("1, 2 or 4 towers", sentence) for each distinct sentence."""
    counts: Dict[str, List[int]] = {}
    for _, items in parity:
        counts.setdefault(figures.parity_sentence(items), []).insert(0, items[0].towers)
    return [(figures.towers_text(*numbers), sentence) for sentence, numbers in counts.items()]
