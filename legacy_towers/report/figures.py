"""Formats figures and orders candidates, for the terminal and the page."""
import itertools
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from legacy_towers.report.document import (
    DIFFER,
    INPUTS,
    PAIRS,
    REDUCTIONS,
    SAME_ROUNDING,
    VARIABLES,
    Document,
    Parity,
    Row,
    Spread,
)

PLUS_MINUS = "\u00b1"
MEGABYTE = 1e6  # bytes, as in "64 MB per step"
SYNTHETIC = "synthetic"
PARITY_LABELS = {
    "same": "the same data as the others",
    "rounding": "the same data as the others, losses except for rounding",
    "partly": "the same as far as it was compared",
    "different": "not the same data as the others",
    "not compared": "not compared",
}


class Labels(NamedTuple):
    """The names for candidates.

    Attributes:
      one, many: singular and plural, as in "4 of 5 pipelines".
      column: the title of the first column in the terminal.
      title: the title of the page.
      full_title: the title of the first column on the page.
    """

    one: str
    many: str
    column: str
    title: str
    full_title: str


LABELS: Dict[str, Labels] = {
    INPUTS: Labels("pipeline", "pipelines", "input pipeline", "input pipelines compared", "input pipeline"),
    VARIABLES: Labels("strategy", "strategies", "variables", "variable strategies compared", "variables"),
    REDUCTIONS: Labels("reduction", "reductions", "reduction", "gradient reductions compared", "reduction"),
    PAIRS: Labels(
        "pair", "pairs", "variables with reduction", "variable strategies and gradient reductions compared",
        "variables with reduction",
    ),
}


def number(value: float) -> str:
    """Returns a number with three significant digits, or without decimals from 100: 12,345, 12.3, 1.23, 0.0123."""
    if value == 0:
        return "0"
    size = abs(value)
    decimals = 0 if size >= 99.5 else 1 if size >= 9.95 else 2 if size >= 0.995 else 3 if size >= 0.0095 else 6
    return "{:,.{}f}".format(value, decimals)


def half_width(spread: Spread) -> float:
    """Returns half the length of the interval."""
    return (spread.high - spread.low) / 2


def with_spread(spread: Optional[Spread], decimals: Optional[int] = None) -> Optional[str]:
    """Returns "median +- half the interval", or None for None.

    Args:
      decimals: the decimals of both; None: those of three significant digits of the median.
    """
    if spread is None:
        return None
    if decimals is None:
        text = number(spread.median)
        decimals = len(text.partition(".")[2])
    return "{:,.{}f} {} {:,.{}f}".format(spread.median, decimals, PLUS_MINUS, half_width(spread), decimals)


def percent(share: float) -> str:
    """Returns "41 %" for 0.41, and "0.4 %" for 0.004."""
    return "{:.1f} %".format(share * 100) if 0.0005 <= share < 0.0095 else "{:.0f} %".format(share * 100)


def megabytes(size: Optional[float]) -> Optional[str]:
    """Returns bytes in megabytes, without the unit; None for None."""
    return None if size is None else number(size / MEGABYTE)


def waits(row: Row) -> Optional[str]:
    """Returns the share of waiting in a step: "41 %", or "41 % or 29 %" if the two estimates differ."""
    if row.waiting is None:
        return None
    # A difference of two times may be slightly below 0.
    replay, trace = (percent(max(0.0, spread.median)) for spread in (row.waiting.by_replay, row.waiting.by_trace))
    return "{} or {}".format(replay, trace) if row.waiting.differ else replay


def fed(row: Row) -> Optional[str]:
    """Returns the megabytes fed in a step and those of them that were copied: "64.0 (0)"."""
    size = megabytes(row.fed_bytes_per_step)
    return size if not row.fed_bytes_per_step else "{} ({})".format(size, megabytes(row.copied_bytes_per_step) or "?")


def towers_text(*counts: int) -> str:
    """Returns "1 tower", "4 towers", "1, 2 or 4 towers"."""
    if counts == (1,):
        return "1 tower"
    first = ", ".join(str(towers) for towers in counts[:-1])
    return "{}{} towers".format(first + " or " if first else "", counts[-1])


def key_text(key: str) -> str:
    """Returns the name of a setting as text: "warm_up_steps" is "warm-up steps"."""
    return key.replace("warm_up", "warm-up").replace("_", " ")


def plain(value: Any) -> str:
    """Returns a setting's value as text: lists with commas, booleans as "yes" or "no", None as "none"."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(plain(item) for item in value) if value else "none"
    if isinstance(value, dict):
        return ", ".join("{} {}".format(key_text(str(key)), plain(item)) for key, item in value.items()) or "none"
    return "{:,}".format(value) if isinstance(value, int) else str(value)


def tower_counts(document: Document) -> List[int]:
    """Returns the numbers of towers of a comparison, the smallest first."""
    return sorted({row.towers for row in document.rows})


def rows_at(document: Document, towers: int) -> List[Row]:
    """Returns the rows of one number of towers: synthetic, then the others by speed, then failed ones."""
    return sorted((row for row in document.rows if row.towers == towers), key=_rank)


def _rank(row: Row) -> Tuple[int, float]:
    if row.examples_per_second is None:
        return 2, 0.0
    return (0 if row.candidate == SYNTHETIC else 1), -row.examples_per_second.median


def labels_of(document: Document) -> Labels:
    """Returns the names for the candidates of a comparison."""
    return LABELS[document.subject]


def candidates_of(rows: Iterable[Any]) -> List[str]:
    """Returns the distinct candidates of a list of Row, Parity or Proof, in their order."""
    return list(dict.fromkeys(row.candidate for row in rows))


def parity_at(document: Document, towers: int) -> List[Parity]:
    """Returns the parity of input pipelines at one number of towers."""
    return [parity for parity in document.parity if parity.towers == towers]


def parity_state(parity: Parity) -> str:
    """Returns a key of `PARITY_LABELS`."""
    if parity.losses == DIFFER or parity.same_epoch is False:
        return "different"
    if parity.losses is None and parity.same_epoch is None:
        return "not compared"
    if parity.losses is None or parity.same_epoch is None:
        return "partly"
    return "rounding" if parity.losses == SAME_ROUNDING else "same"


def place_of(parity: Parity) -> str:
    """Returns the place of a pipeline's first difference: "step 3, tower 1, row 17"; "" if it is not known."""
    first = parity.first_difference
    if first is None:
        return ""
    step = "" if first.step is None else "step {}".format(first.step)
    tower = "" if first.tower is None else "tower {}".format(first.tower)
    return ", ".join(part for part in (step, tower, first.example or "") if part)


def parity_sentence(items: List[Parity]) -> str:
    """Returns a summary of the parity at one number of towers, without a full stop."""
    states = [parity_state(item) for item in items]
    rounding = states.count("rounding")
    same = states.count("same") + rounding
    if same == 0:
        return "no input pipeline is known to give the same examples as the others"
    if same < len(items):
        who = "{} of {} pipelines {}".format(same, len(items), "gives" if same == 1 else "give")
    else:
        who = {1: "the one pipeline gives", 2: "both pipelines give"}.get(same, "all {} pipelines give".format(same))
    if not rounding:
        return who + " the same examples in an epoch and, in a fixed order, the same losses to the last bit"
    largest = max(item.loss_difference or 0.0 for item, state in zip(items, states) if state == "rounding")
    return "{} the same examples in an epoch and, in a fixed order, the same losses{} (at most {:.1e})".format(
        who, ", {} of them except for rounding".format(rounding) if rounding < same else " except for rounding", largest
    )


def facts(document: Document) -> List[Tuple[str, List[Tuple[str, str]]]]:
    """Returns (title, (name, value) pairs) for the run, the job with its options, the settings and the environment."""
    options = document.job_options
    job = [("name", document.job), ("file", document.job_file)] + [(key, plain(options[key])) for key in options]
    date = document.date.replace("T", " ").replace("+00:00", " UTC")
    run = [("date", date), ("command", document.command)]
    return [
        ("run", [(name, value) for name, value in run if value]), ("job", job),
        ("settings", _pairs(document.settings)), ("environment", _pairs(document.environment)),
    ]


def _pairs(values: Dict[str, Any]) -> List[Tuple[str, str]]:
    return [(key_text(key), plain(values[key])) for key in values]


def failures(rows: Iterable[Row]) -> List[Tuple[List[str], str]]:
    """Returns (candidates, sentence) for failed candidates, grouped by the sentence."""
    names: Dict[str, List[str]] = {}
    for row in rows:
        if row.failed is not None:
            names.setdefault(row.failed, []).append(row.candidate)
    return [(names[sentence], sentence) for sentence in names]


def flat(parts: Iterable[Iterable[Any]]) -> List[Any]:
    """Returns the items of all parts as one list."""
    return list(itertools.chain.from_iterable(parts))
