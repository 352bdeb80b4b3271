"""Formats the figures of a step as text and as JSON."""
import json
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.run.bottleneck.figures import Figures
from legacy_towers.run.bottleneck.verdict import Hottest, parts, verdict
from legacy_towers.text.terminal import FILE, Layout


def as_text(figures: Figures, hottest: Sequence[Hottest], layout: Layout = FILE) -> str:
    """Formats tables of the parts, devices, input ops, feeds, other runs and lines of Python, and the verdict.

    Args:
      figures: the parts of a step.
      hottest: the lines of the script between session runs, the most frequent first.
      layout: the width and style of the tables.
    """
    lines = [
        "a step fetches {}: {:.3g} ms, the mean of {} steps ({} more were traced)".format(
            ", ".join(figures.fetched[:4]) + (", ..." if len(figures.fetched) > 4 else ""),
            figures.step, figures.cycles, figures.traces,
        ),
        "",
        layout.table(["part of a step", "ms", "share"], [
            [name, "{:.3f}".format(time), "{:.1%}".format(time / figures.step)]
            for name, time in parts(figures).items()
        ], "lrr"),
    ]
    tables = (
        (["device", "computing ms", "share of the run"], [
            [device, "{:.3f}".format(time), "{:.1%}".format(time / figures.run)]
            for device, time in figures.devices.items()
        ], "lrr"),
        (["input op", "waiting ms"], [[name, "{:.3f}".format(time)] for name, time in figures.input_ops[:5]], "lr"),
        (["feed", "bytes", "converted", "copied"], [
            [feed.tensor, "{:,}".format(feed.size), _yes(feed.converted), _yes(feed.copied)]
            for feed in figures.feeds
        ], "lrll"),
        (["other session runs", "ms"], [
            [", ".join(names[:3]), "{:.3f}".format(time)] for names, time in figures.others[:5]
        ], "lr"),
        (["Python between runs", "share"], [
            ["{}:{} ({})".format(each.path, each.line, each.function), "{:.0%}".format(each.share)]
            for each in hottest[:5]
        ], "lr"),
    )
    for header, rows, align in tables:
        if rows:
            lines += ["", layout.table(header, rows, align)]
    return "\n".join(lines + ["", verdict(figures, hottest[0] if hottest else None)])


def as_json(figures: Figures, hottest: Sequence[Hottest]) -> Dict[str, Any]:
    """Returns the figures as one JSON object; times are milliseconds per step, sizes bytes per step."""
    found: Dict[str, Any] = dict(figures._asdict())
    found.update(
        parts=parts(figures),
        input_ops=[{"operation": name, "ms": time} for name, time in figures.input_ops],
        feeds=[dict(feed._asdict()) for feed in figures.feeds],
        others=[{"fetched": list(names), "ms": time} for names, time in figures.others],
        python_at=[dict(each._asdict()) for each in hottest],
        verdict=verdict(figures, hottest[0] if hottest else None),
    )
    return found


def json_text(figures: Figures, hottest: Sequence[Hottest]) -> str:
    """Returns `as_json` as text."""
    return json.dumps(as_json(figures, hottest), indent=2)


def hottest_lines(counted: Any) -> List[Hottest]:
    """Returns the lines that a StackSampler counted, the most frequent first.

    Args:
      counted: the `lines` of a StackSampler.
    """
    total: Optional[int] = sum(counted.values())
    return [
        Hottest(path, line, function, count / total) for (path, line, function), count in counted.most_common()
    ] if total else []


def _yes(value: bool) -> str:
    return "yes" if value else "no"
