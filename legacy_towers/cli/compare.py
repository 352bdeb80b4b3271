"""Runs a job with every way in, in turns, and says which one it should use and what that wins.

With --variables or --reductions, strategies for variables, reductions of gradients, or
pairs of both are compared in place of ways in, and what they compute is held against
what the job has. Each candidate gets a process of its own at each number of towers. They
take turns for at least 5 rounds, so that what else happens on the machine falls on all.
"""
import argparse
import os
import sys
import time
from typing import Any, List, Sequence

from legacy_towers.cli.job_options import add_job, job_of, options_of
from legacy_towers.cli.parser import Parser
from legacy_towers.compare.candidates import split_names
from legacy_towers.errors import ArgumentError


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    what = parser.add_argument_group("what is compared")
    what.add_argument(
        "--inputs", type=split_names, metavar="A,B,...",
        help="ways in: synthetic, feed, feed:background, queue, dataset:split, dataset:next_per_tower, "
        "dataset:sharded, dataset:per_device, and any but synthetic followed by +staged (default: all that the job's "
        "examples can serve)",
    )
    what.add_argument(
        "--variables", type=split_names, metavar="A,B,...",
        help="strategies that say where variables live, such as parameter_server or replicated, or all of them: all",
    )
    what.add_argument(
        "--reductions", type=split_names, metavar="A,B,...",
        help="ways in which towers' gradients are made one, such as mean or tree, or all of them: all; with "
        "--variables: all pairs",
    )
    what.add_argument(
        "--input", metavar="WAY",
        help="the way in for all strategies and reductions (default: synthetic, so that no input hides what they cost)",
    )
    what.add_argument(
        "--current", metavar="NAME", help="the candidate that the others are compared with (default: what the job has)"
    )
    what.add_argument(
        "--towers", type=_numbers, default=[4], metavar="N,...", help="numbers of towers, as in 1,2,4 (default: 4)"
    )
    what.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where towers are (default: cpu)")
    what.add_argument("--per-tower-batch-size", type=int, metavar="N", help="examples per tower (default: the job's)")
    how = parser.add_argument_group("how long")
    how.add_argument("--steps", type=int, metavar="N", help="steps of a turn (default: as many as fill 0.4 s)")
    how.add_argument("--rounds", type=int, default=11, metavar="N", help="rounds that count, at least 5 (default: 11)")
    how.add_argument(
        "--timeout", type=float, default=300.0, metavar="SECONDS",
        help="end a process that is silent for so long, in one step or in building its graph (default: 300)",
    )
    result = parser.add_argument_group("the result")
    result.add_argument("--json", metavar="FILE", help="write everything that was found, for machines and --against")
    result.add_argument("--html", metavar="FILE", help="write one page, which needs no network")
    result.add_argument("--against", metavar="OLD.json", help="also tell what has changed since that comparison")
    add_job(parser, given)


def run(arguments: argparse.Namespace) -> int:
    from legacy_towers.measure.resources import import_psutil
    from legacy_towers.report.json_file import read_json, write_json
    from legacy_towers.report.text import format_document
    from legacy_towers.training.places import check_file

    import_psutil()
    for option in ("json", "html"):
        check_file("--" + option, getattr(arguments, option))
    if arguments.json is not None and arguments.html is not None:
        if os.path.realpath(arguments.json) == os.path.realpath(arguments.html) != os.path.realpath(os.devnull):
            raise ArgumentError("--json and --html are the same file, {!r}: name two".format(arguments.json))
    if arguments.html is not None:
        from legacy_towers.report.html import import_jinja2

        import_jinja2()
    old = None if arguments.against is None else read_json(arguments.against)
    job_function, job = job_of(arguments)
    from legacy_towers.compare.candidates import SYNTHETIC
    from legacy_towers.compare.engine import compare
    from legacy_towers.compare.find import find_candidates
    from legacy_towers.compare.settings import CompareSettings, JobCall, check_settings

    settings = CompareSettings(
        inputs=arguments.inputs,
        variables=arguments.variables,
        reductions=arguments.reductions,
        input=arguments.input,
        towers=arguments.towers,
        steps=arguments.steps,
        rounds=arguments.rounds,
        current=arguments.current,
        per_tower_batch_size=arguments.per_tower_batch_size,
        device=arguments.device,
        timeout=arguments.timeout,
    )
    check_settings(settings, job)
    candidates = find_candidates(job, settings)
    for note in candidates.notes:
        print(note, file=sys.stderr)
    call = JobCall(arguments.job, job_function.name, options_of(arguments))
    with _Progress() as progress:
        document = compare(call, job, settings, candidates, progress.phase, progress.lines)
    # First what can be lost: a reader of the output may go away.
    if arguments.json is not None:
        write_json(document, arguments.json)
    if arguments.html is not None:
        from legacy_towers.report.html import write_html

        write_html(document, arguments.html)
    print(format_document(document))
    if old is not None:
        from legacy_towers.report.changes import format_changes

        print("\n" + format_changes(old, document))
    failed = all(row.failed is not None for row in document.rows if row.candidate != SYNTHETIC)
    return 1 if failed else 0


def _numbers(text: str) -> List[int]:
    try:
        return [int(word) for word in text.split(",") if word.strip()]
    except ValueError:
        raise argparse.ArgumentTypeError("{!r} is no list of whole numbers, as 1,2,4 is".format(text)) from None


class _Progress:
    """Says on standard error what goes on: on a terminal in one line that changes, else a line per phase."""

    def __init__(self) -> None:
        self._in_place = sys.stderr.isatty()
        self._start = time.monotonic()
        self._shown = 0

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *error: Any) -> None:
        self._clear()

    def phase(self, text: str) -> None:
        line = "{:4.0f} s  {}".format(time.monotonic() - self._start, text)
        if self._in_place:
            self._clear()
            sys.stderr.write(line)
            self._shown = len(line)
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()

    def lines(self, text: str) -> None:
        self._clear()
        sys.stderr.write(text + "\n")

    def _clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            self._shown = 0
