"""What changed between two comparisons of a job: an earlier one, and one of now."""
import json
import textwrap
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.report import figures, proofs
from legacy_towers.report.document import Document, Row, Spread
from legacy_towers.tables import format_table

WIDTH = 120  # columns
FASTER, SLOWER, ALIKE = "faster", "slower", "not measurably different"
# What the rows tell by themselves.
_NOT_COMPARED = ("towers", "left_out")


class _Change(NamedTuple):
    """One candidate at one number of towers, before and now."""

    candidate: str
    before: Optional[Row]
    now: Optional[Row]
    ratio: Optional[Spread]  # of examples/s
    words: str


def ratio(new: Spread, old: Spread) -> Optional[Spread]:
    """Returns new / old as a spread without rounds; None where the old one may be zero.

    The interval reaches from the lowest new over the highest old to the highest new over the lowest old. It holds 1
    wherever the two intervals touch, and is wider than 95 % asks for, by intent: two runs at two times differ by more
    than their rounds do, and of 14 candidates at three numbers of towers 2 would seem to have changed by chance alone.
    """
    if old.low <= 0:
        return None
    return Spread(new.median / old.median, new.low / old.high, new.high / old.low, [])


def format_changes(old: Document, new: Document) -> str:
    """Returns what changed from `old` to `new` as lines of at most 120 columns, without a newline at the end.

    What differs in machine, settings and job stands first: then the figures can't be held against each other. A
    candidate is called faster or slower only where the two intervals don't touch.
    """
    parts = [_circumstances(old, new)]
    for towers in sorted(set(figures.tower_counts(old)) | set(figures.tower_counts(new))):
        parts.append(_at(old, new, towers))
    parts += [_parity(old, new), _proofs(old, new), _verdicts(old, new)]
    return "\n\n".join(part for part in parts if part)


def _circumstances(old: Document, new: Document) -> str:
    lines = _differences("comparison", {"subject": old.subject}, {"subject": new.subject})
    lines += _differences("machine", old.machine, new.machine) + _differences("settings", old.settings, new.settings)
    names = ({"name": old.job, "file": old.job_file}, {"name": new.job, "file": new.job_file})
    lines += _differences("job", *names) + _differences("job options", old.job_options, new.job_options)
    if not lines:
        return "job, settings and machine are the same as before"
    first = "these circumstances differ, so the figures below don't show what a change of the job did:"
    return "\n".join([first] + lines)


def _differences(title: str, old: Dict[str, Any], new: Dict[str, Any]) -> List[str]:
    lines = []
    for key in dict.fromkeys(list(new) + list(old)):
        if key not in _NOT_COMPARED and _as_json(old, key) != _as_json(new, key):
            before = figures.plain(old[key]) if key in old else "not said"
            now = figures.plain(new[key]) if key in new else "not said"
            lines.append(_wrapped("  {}, {}: {} before, {} now".format(title, figures.key_words(key), before, now)))
    return lines


def _as_json(values: Dict[str, Any], key: str) -> str:
    """A tuple of now is the list that an earlier comparison was read with; nothing at all is "", which null is not."""
    return json.dumps(values[key], sort_keys=True, default=str) if key in values else ""


def _at(old: Document, new: Document, towers: int) -> str:
    changes = _changes(old, new, towers)
    cells = [
        (each.candidate, _speed(each.before), _speed(each.now), figures.with_spread(each.ratio, 2), each.words)
        for each in changes
    ]
    lines = [
        _wrapped("{}: {}".format(figures.towers_words(towers), _summary(changes))),
        format_table((figures.words_of(new).column, "before", "now", "now / before", ""), cells, "lrrrl"),
    ]
    newly = [change.now for change in changes if change.now is not None and not _failed(change.before)]
    for names, sentence in figures.failures(newly):
        lines.append(_wrapped("{} failed: {}".format(", ".join(names), sentence)))
    return "\n".join(lines)


def _changes(old: Document, new: Document, towers: int) -> List[_Change]:
    before = {row.candidate: row for row in figures.rows_at(old, towers)}
    now = {row.candidate: row for row in figures.rows_at(new, towers)}
    return [_change(name, before.get(name), now.get(name)) for name in dict.fromkeys(list(now) + list(before))]


def _change(name: str, before: Optional[Row], now: Optional[Row]) -> _Change:
    if before is None or now is None:
        return _Change(name, before, now, None, "only before" if now is None else "new")
    if before.examples_per_second is None or now.examples_per_second is None:
        words = {
            (True, True): "fails as before",
            (True, False): "works now",
            (False, True): "fails now",
        }.get((_failed(before), _failed(now)), "not measured")
        return _Change(name, before, now, None, words)
    found = ratio(now.examples_per_second, before.examples_per_second)
    if found is None:
        words = "too noisy to tell"
    else:
        words = FASTER if found.low > 1 else SLOWER if found.high < 1 else ALIKE
    return _Change(name, before, now, found, words)


def _failed(row: Optional[Row]) -> bool:
    return row is not None and row.failed is not None


def _speed(row: Optional[Row]) -> Optional[str]:
    if row is None:
        return None
    return "failed" if row.failed is not None else figures.with_spread(row.examples_per_second)


def _summary(changes: List[_Change]) -> str:
    counted: Dict[str, int] = {}
    for change in changes:
        counted[change.words] = counted.get(change.words, 0) + 1
    if list(counted) == [ALIKE]:
        return "nothing is measurably different in examples/s"
    order = sorted(counted, key=lambda words: (words not in (FASTER, SLOWER), words == ALIKE))
    return ", ".join("{} {}".format(counted[words], words) for words in order)


def _parity(old: Document, new: Document) -> str:
    before = {(item.candidate, item.towers): item for item in old.parity}
    lines = []
    for item in new.parity:
        earlier = before.get((item.candidate, item.towers))
        if earlier is None or figures.parity_state(earlier) == figures.parity_state(item):
            continue
        states = (figures.PARITY_WORDS[figures.parity_state(each)] for each in (earlier, item))
        where = "{}, {}".format(item.candidate, figures.towers_words(item.towers))
        place = figures.place_of(item)
        reason = item.sentence if item.first_difference is None else item.first_difference.sentence
        lines.append(
            _wrapped("  {}: {} before, {} now{}: {}".format(where, *states, " at " + place if place else "", reason))
        )
    return "\n".join(["its data:"] + lines) if lines else ""


def _proofs(old: Document, new: Document) -> str:
    before = {(item.candidate, item.towers): item for item in old.proofs}
    lines = []
    for item in new.proofs:
        earlier = before.get((item.candidate, item.towers))
        if earlier is None or proofs.state_of(earlier) == proofs.state_of(item):
            continue
        lines.append(_wrapped("  {}, {}: {} before, {} now: {}".format(
            item.candidate, figures.towers_words(item.towers), proofs.PROOF_WORDS[proofs.state_of(earlier)],
            proofs.PROOF_WORDS[proofs.state_of(item)], item.sentence,
        )))
    return "\n".join(["its numbers:"] + lines) if lines else ""


def _verdicts(old: Document, new: Document) -> str:
    lines = []
    for towers in sorted(set(old.verdicts) & set(new.verdicts), key=_as_number):
        before, now = old.verdicts[towers], new.verdicts[towers]
        title = "verdict" if len(new.verdicts) == 1 else "verdict, {}".format(_towers_title(towers))
        if before.winner != now.winner:
            lines.append(_wrapped("{}: it changed; before: {}".format(title, before.sentence)))
            lines.append(_wrapped("  now: {}".format(now.sentence), "    "))
        elif now.winner is None:
            lines.append(_wrapped("{}: nothing to take before, none now: {}".format(title, now.sentence)))
        else:
            lines.append(_wrapped("{}: {} as before: {}".format(title, now.winner, now.sentence)))
    return "\n".join(lines)


def _as_number(towers: str) -> Tuple[int, str]:
    return (int(towers), "") if towers.isdigit() else (0, towers)


def _towers_title(towers: str) -> str:
    return figures.towers_words(int(towers)) if towers.isdigit() else towers


def _wrapped(text: str, indent: str = "    ") -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
