"""Figures as a person reads them, and the order in which candidates stand: the same in the terminal and on the page."""
import itertools
from typing import Any, Dict, Iterable, List, Optional, Tuple

from legacy_towers.report.document import Document, Parity, Row, Spread
from legacy_towers.report.words import WORDS, Words

PLUS_MINUS = "\u00b1"
MEGABYTE = 1e6  # bytes, as in "64 MB per step"
SYNTHETIC = "synthetic"
PARITY_WORDS = {
    "same": "the same data as the others",
    "partly": "the same as far as it was compared",
    "different": "other data than the others",
    "not compared": "not compared",
}


def number(value: float) -> str:
    """Returns three significant digits or all that stand before the point: 12,345, 12.3, 1.23, 0.0123."""
    if value == 0:
        return "0"
    size = abs(value)
    decimals = 0 if size >= 99.5 else 1 if size >= 9.95 else 2 if size >= 0.995 else 3 if size >= 0.0095 else 6
    return "{:,.{}f}".format(value, decimals)


def half_width(spread: Spread) -> float:
    """Returns half the length of the interval."""
    return (spread.high - spread.low) / 2


def with_spread(spread: Optional[Spread], decimals: Optional[int] = None) -> Optional[str]:
    """Returns "median +- half the interval", both with the same decimals; None for None.

    Without `decimals` the median has three significant digits.
    """
    if spread is None:
        return None
    if decimals is None:
        text = number(spread.median)
        decimals = len(text.partition(".")[2])
    return "{:,.{}f} {} {:,.{}f}".format(spread.median, decimals, PLUS_MINUS, half_width(spread), decimals)


def percent(share: float) -> str:
    """Returns "41 %" for 0.41, "0.4 %" below one."""
    return "{:.1f} %".format(share * 100) if 0.0005 <= share < 0.0095 else "{:.0f} %".format(share * 100)


def megabytes(size: Optional[float]) -> Optional[str]:
    """Returns bytes as megabytes, without the unit; None for None."""
    return None if size is None else number(size / MEGABYTE)


def waits(row: Row) -> Optional[str]:
    """Returns the share of a step spent waiting: "41 %", or "41 % or 29 %" where two measures differ."""
    if row.waiting is None:
        return None
    # A difference of two times may come out a little below 0.
    replay, trace = (percent(max(0.0, spread.median)) for spread in (row.waiting.by_replay, row.waiting.by_trace))
    return "{} or {}".format(replay, trace) if row.waiting.differ else replay


def fed(row: Row) -> Optional[str]:
    """Returns megabytes fed in a step, and how many of them were copied: "64.0 (0)"."""
    size = megabytes(row.fed_bytes_per_step)
    return size if not row.fed_bytes_per_step else "{} ({})".format(size, megabytes(row.copied_bytes_per_step) or "?")


def towers_words(*counts: int) -> str:
    """Returns "1 tower", "4 towers", "1, 2 or 4 towers"."""
    if counts == (1,):
        return "1 tower"
    first = ", ".join(str(towers) for towers in counts[:-1])
    return "{}{} towers".format(first + " or " if first else "", counts[-1])


def key_words(key: str) -> str:
    """Returns the name of a setting as words: "warm_up_steps" is "warm-up steps"."""
    return key.replace("warm_up", "warm-up").replace("_", " ")


def plain(value: Any) -> str:
    """Returns a setting's value as text: lists by commas, truth as yes or no, None as "none"."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(plain(item) for item in value) if value else "none"
    if isinstance(value, dict):
        return ", ".join("{} {}".format(key_words(str(key)), plain(item)) for key, item in value.items()) or "none"
    return "{:,}".format(value) if isinstance(value, int) else str(value)


def tower_counts(document: Document) -> List[int]:
    """Returns the numbers of towers that were measured or tried, the smallest first."""
    return sorted({row.towers for row in document.rows})


def rows_at(document: Document, towers: int) -> List[Row]:
    """Returns the rows of one number of towers: synthetic, then the fastest first, then those that failed."""
    return sorted((row for row in document.rows if row.towers == towers), key=_rank)


def _rank(row: Row) -> Tuple[int, float]:
    if row.examples_per_second is None:
        return 2, 0.0
    return (0 if row.candidate == SYNTHETIC else 1), -row.examples_per_second.median


def words_of(document: Document) -> Words:
    """Returns what the candidates of a comparison are called."""
    return WORDS[document.subject]


def candidates_of(rows: Iterable[Any]) -> List[str]:
    """Returns the candidates of `rows` (or of a list of Parity or Proof), each once, in their order."""
    return list(dict.fromkeys(row.candidate for row in rows))


def parity_at(document: Document, towers: int) -> List[Parity]:
    """Returns what was compared at one number of towers."""
    return [parity for parity in document.parity if parity.towers == towers]


def parity_state(parity: Parity) -> str:
    """Returns "same", "partly" (what was compared is the same, something wasn't), "different" or "not compared"."""
    answers = (parity.same_trajectory, parity.same_epoch)
    if False in answers:
        return "different"
    if None not in answers:
        return "same"
    return "partly" if True in answers else "not compared"


def place_of(parity: Parity) -> str:
    """Returns where a way differs first: "step 3, tower 1, row 17"; "" where nothing is known."""
    first = parity.first_difference
    if first is None:
        return ""
    step = "" if first.step is None else "step {}".format(first.step)
    tower = "" if first.tower is None else "tower {}".format(first.tower)
    return ", ".join(part for part in (step, tower, first.example or "") if part)


def parity_sentence(items: List[Parity]) -> str:
    """Returns what all that was compared at one number of towers comes to, without a full stop."""
    same = [parity_state(item) for item in items].count("same")
    if same == 0:
        return "no way is known to give the same examples as the others"
    if same < len(items):
        who = "{} of {} ways {}".format(same, len(items), "gives" if same == 1 else "give")
    else:
        who = {1: "the one way gives", 2: "both ways give"}.get(same, "all {} ways give".format(same))
    return who + " the same examples in an epoch and, in a fixed order, the same losses to the last bit"


def circumstances(document: Document) -> List[Tuple[str, List[Tuple[str, str]]]]:
    """Returns (title, (name, value) pairs) for the job with its options, the settings and the machine."""
    options = document.job_options
    job = [("name", document.job), ("file", document.job_file)] + [(key, plain(options[key])) for key in options]
    return [("job", job), ("settings", _pairs(document.settings)), ("machine", _pairs(document.machine))]


def _pairs(values: Dict[str, Any]) -> List[Tuple[str, str]]:
    return [(key_words(key), plain(values[key])) for key in values]


def failures(rows: Iterable[Row]) -> List[Tuple[List[str], str]]:
    """Returns (candidates, sentence) for those that failed; those that did with the same sentence stand together."""
    names: Dict[str, List[str]] = {}
    for row in rows:
        if row.failed is not None:
            names.setdefault(row.failed, []).append(row.candidate)
    return [(names[sentence], sentence) for sentence in names]


def flat(parts: Iterable[Iterable[Any]]) -> List[Any]:
    """Returns the items of all parts, one after another."""
    return list(itertools.chain.from_iterable(parts))
