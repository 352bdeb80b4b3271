"""Reports the changes between an earlier and a new comparison of a job."""
import json
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.report import figures, proofs
from legacy_towers.report.document import Document, Row, Spread
from legacy_towers.text.terminal import FILE, GREEN, RED, Layout

FASTER, SLOWER, ALIKE = "faster", "slower", "not measurably different"
FAILS_NOW = "fails now"
_COLOURS = {FASTER: GREEN, SLOWER: RED, FAILS_NOW: RED}
LOAD_DIFFERS = 0.5  # of two load averages: half a core was busy with something else
# Settings whose changes the rows show.
_NOT_COMPARED = ("towers", "left_out")


class _Change(NamedTuple):
    """One candidate at one number of towers, before and now."""

    candidate: str
    before: Optional[Row]
    now: Optional[Row]
    ratio: Optional[Spread]  # of examples/s
    result: str


def ratio(new: Spread, old: Spread) -> Optional[Spread]:
    """Returns new / old as a spread without rounds; None if the old value may be zero.

    The interval is [new.low / old.high, new.high / old.low], which contains 1 if the two intervals touch. It is wider
    than a 95 % interval: two runs differ by more than their rounds, and of 14 candidates at three numbers of towers 2
    would seem to have changed by chance alone.
    """
    if old.low <= 0:
        return None
    return Spread(new.median / old.median, new.low / old.high, new.high / old.low, [])


def format_changes(old: Document, new: Document, layout: Layout = FILE) -> str:
    """Returns the changes from `old` to `new` as lines of text, without a newline at the end.

    Differences of environment, settings and job are first: with them, the figures can't be compared. A candidate is
    reported as faster or slower only if the two intervals do not touch.

    Args:
      layout: the width and colours; by default those of a file, with sentences wrapped at 120 columns.
    """
    parts = [_environment(old, new, layout)]
    for towers in sorted(set(figures.tower_counts(old)) | set(figures.tower_counts(new))):
        parts.append(_at(old, new, towers, layout))
    parts += [_parity(old, new, layout), _proofs(old, new, layout), _verdicts(old, new, layout)]
    return "\n\n".join(part for part in parts if part)


def _environment(old: Document, new: Document, layout: Layout) -> str:
    lines = _differences(layout, "comparison", {"subject": old.subject}, {"subject": new.subject})
    lines += _differences(layout, "environment", *_without_load(old.environment, new.environment))
    lines += _differences(layout, "settings", old.settings, new.settings)
    names = ({"name": old.job, "file": old.job_file}, {"name": new.job, "file": new.job_file})
    lines += _differences(layout, "job", *names) + _differences(layout, "job options", old.job_options, new.job_options)
    # These differ between any two runs, which can be compared nevertheless.
    run = _differences(
        layout, "run", {"date": old.date, "command": old.command}, {"date": new.date, "command": new.command}
    )
    if not lines:
        return "\n".join(["job, settings and environment are the same as before"] + run)
    return "\n".join(["these differ, so the figures below don't show the effect of a change of the job:"] + lines + run)


def _without_load(old: Dict[str, Any], new: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Returns the environments, without the load averages if these are nearly equal."""
    before, after = old.get("load_average"), new.get("load_average")
    if before is None or after is None or abs(before - after) > LOAD_DIFFERS:
        return old, new
    first, second = ({key: each[key] for key in each if key != "load_average"} for each in (old, new))
    return first, second


def _differences(layout: Layout, title: str, old: Dict[str, Any], new: Dict[str, Any]) -> List[str]:
    lines = []
    for key in dict.fromkeys(list(new) + list(old)):
        if key not in _NOT_COMPARED and _as_json(old, key) != _as_json(new, key):
            before = figures.plain(old[key]) if key in old else "not recorded"
            now = figures.plain(new[key]) if key in new else "not recorded"
            text = "  {}, {}: {} before, {} now".format(title, figures.key_text(key), before, now)
            lines.append(_wrapped(layout, text))
    return lines


def _as_json(values: Dict[str, Any], key: str) -> str:
    # As JSON, a tuple equals the list that was read from a file; "" for a missing value, unlike null.
    return json.dumps(values[key], sort_keys=True, default=str) if key in values else ""


def _at(old: Document, new: Document, towers: int, layout: Layout) -> str:
    changes = _changes(old, new, towers)
    cells = [
        (each.candidate, _speed(each.before), _speed(each.now), figures.with_spread(each.ratio, 2), each.result)
        for each in changes
    ]
    lines = [
        _wrapped(layout, "{}: {}".format(figures.towers_text(towers), _summary(changes))),
        layout.table(
            (figures.labels_of(new).column, "before", "now", "now / before", ""), cells, "lrrrl",
            [_COLOURS.get(each.result) for each in changes],
        ),
    ]
    newly = [change.now for change in changes if change.now is not None and not _failed(change.before)]
    for names, sentence in figures.failures(newly):
        lines.append(_wrapped(layout, "{} failed: {}".format(", ".join(names), sentence)))
    return "\n".join(lines)


def _changes(old: Document, new: Document, towers: int) -> List[_Change]:
    before = {row.candidate: row for row in figures.rows_at(old, towers)}
    now = {row.candidate: row for row in figures.rows_at(new, towers)}
    return [_change(name, before.get(name), now.get(name)) for name in dict.fromkeys(list(now) + list(before))]


def _change(name: str, before: Optional[Row], now: Optional[Row]) -> _Change:
    if before is None or now is None:
        return _Change(name, before, now, None, "only before" if now is None else "new")
    if before.examples_per_second is None or now.examples_per_second is None:
        result = {
            (True, True): "fails as before",
            (True, False): "works now",
            (False, True): FAILS_NOW,
        }.get((_failed(before), _failed(now)), "not measured")
        return _Change(name, before, now, None, result)
    found = ratio(now.examples_per_second, before.examples_per_second)
    if found is None:
        result = "inconclusive: too noisy"
    else:
        result = FASTER if found.low > 1 else SLOWER if found.high < 1 else ALIKE
    return _Change(name, before, now, found, result)


def _failed(row: Optional[Row]) -> bool:
    return row is not None and row.failed is not None


def _speed(row: Optional[Row]) -> Optional[str]:
    if row is None:
        return None
    return "failed" if row.failed is not None else figures.with_spread(row.examples_per_second)


def _summary(changes: List[_Change]) -> str:
    counted: Dict[str, int] = {}
    for change in changes:
        counted[change.result] = counted.get(change.result, 0) + 1
    if list(counted) == [ALIKE]:
        return "nothing is measurably different in examples/s"
    order = sorted(counted, key=lambda result: (result not in (FASTER, SLOWER), result == ALIKE))
    return ", ".join("{} {}".format(counted[result], result) for result in order)


def _parity(old: Document, new: Document, layout: Layout) -> str:
    lines = []
    for item, was, now in _changed_states(old.parity, new.parity, figures.parity_state, figures.PARITY_LABELS):
        place = figures.place_of(item)
        reason = item.sentence if item.first_difference is None else item.first_difference.sentence
        lines.append(_changed_line(item, was, now, reason, layout, " at " + place if place else ""))
    return "\n".join(["changed data:"] + lines) if lines else ""


def _proofs(old: Document, new: Document, layout: Layout) -> str:
    found = _changed_states(old.proofs, new.proofs, proofs.state_of, proofs.PROOF_LABELS)
    lines = [_changed_line(item, was, now, item.sentence, layout) for item, was, now in found]
    return "\n".join(["changed numbers:"] + lines) if lines else ""


def _changed_states(
    old: Sequence[Any], new: Sequence[Any], state_of: Callable[[Any], str], labels: Dict[str, str]
) -> Iterator[Tuple[Any, str, str]]:
    """Yields (item, label of its old state, label of its new state) for each new item whose state has changed."""
    before = {(item.candidate, item.towers): state_of(item) for item in old}
    for item in new:
        was, now = before.get((item.candidate, item.towers)), state_of(item)
        if was is not None and was != now:
            yield item, labels[was], labels[now]


def _changed_line(item: Any, was: str, now: str, reason: str, layout: Layout, place: str = "") -> str:
    where = "{}, {}".format(item.candidate, figures.towers_text(item.towers))
    return _wrapped(layout, "  {}: {} before, {} now{}: {}".format(where, was, now, place, reason))


def _verdicts(old: Document, new: Document, layout: Layout) -> str:
    lines = []
    for towers in sorted(set(old.verdicts) & set(new.verdicts), key=_as_number):
        before, now = old.verdicts[towers], new.verdicts[towers]
        title = "verdict" if len(new.verdicts) == 1 else "verdict, {}".format(_towers_title(towers))
        if before.winner != now.winner:
            lines.append(_wrapped(layout, "{}: changed; before: {}".format(title, before.sentence)))
            lines.append(_wrapped(layout, "  now: {}".format(now.sentence), "    "))
        elif now.winner is None:
            lines.append(_wrapped(layout, "{}: no recommendation, as before: {}".format(title, now.sentence)))
        else:
            lines.append(_wrapped(layout, "{}: {} as before: {}".format(title, now.winner, now.sentence)))
    return "\n".join(lines)


def _as_number(towers: str) -> Tuple[int, str]:
    return (int(towers), "") if towers.isdigit() else (0, towers)


def _towers_title(towers: str) -> str:
    return figures.towers_text(int(towers)) if towers.isdigit() else towers


def _wrapped(layout: Layout, text: str, indent: str = "    ") -> str:
    return layout.sentence(text, indent)
