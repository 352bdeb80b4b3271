"""Compares the input pipelines of a job, and reports which one to use and what it gains.

With --variables or --reductions, compares variable strategies, gradient reductions, or
pairs of both instead, and checks that they compute the same as the job's own. Each
candidate has its own process at each number of towers. Candidates take turns for at
least 5 rounds, so that other load on the machine affects all of them.
"""
import argparse
import os
import sys
import time
from typing import Any, List, Sequence

from legacy_towers.cli.job_options import add_device, add_job, job_of, options_of
from legacy_towers.cli.parser import Parser
from legacy_towers.compare.candidates import split_names
from legacy_towers.compare.settings import CompareSettings, JobCall, check_settings
from legacy_towers.errors import ArgumentError
from legacy_towers.measure.resources import import_psutil
from legacy_towers.report.json_file import read_json, write_json
from legacy_towers.report.text import format_document
from legacy_towers.specs.pipelines import HELP as PIPELINES_HELP
from legacy_towers.specs.pipelines import SYNTHETIC
from legacy_towers.specs.reductions import REDUCTIONS
from legacy_towers.specs.strategies import STRATEGIES
from legacy_towers.text.files import check_file, working_directory_of
from legacy_towers.text.terminal import layout_of


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    # A copy: the options of the job are removed from `given` below.
    parser.set_defaults(command_line=["legacy-towers", "compare"] + list(given))
    what = parser.add_argument_group("what is compared")
    what.add_argument(
        "--inputs", type=split_names, metavar="A,B,...",
        help="input pipelines: {} (default: all that can read the job's examples)".format(PIPELINES_HELP),
    )
    what.add_argument(
        "--variables", type=split_names, metavar="A,B,...",
        help="variable strategies, such as replicated; all: {}".format(", ".join(STRATEGIES)),
    )
    what.add_argument(
        "--reductions", type=split_names, metavar="A,B,...",
        help="gradient reductions, such as tree; all: {}; with --variables, all pairs are compared".format(
            ", ".join(REDUCTIONS)
        ),
    )
    what.add_argument(
        "--input", metavar="PIPELINE",
        help="input pipeline of all strategies and reductions (default: synthetic, so that no step waits for input)",
    )
    what.add_argument(
        "--current", metavar="NAME", help="candidate that the others are compared with (default: the job's)"
    )
    what.add_argument(
        "--towers", type=_numbers, default=[4], metavar="N,...", help="numbers of towers, such as 1,2,4 (default: 4)"
    )
    add_device(what)
    what.add_argument("--per-tower-batch-size", type=int, metavar="N", help="examples per tower (default: the job's)")
    how = parser.add_argument_group("how long")
    how.add_argument("--steps", type=int, metavar="N", help="steps per turn (default: as many as take 0.4 s)")
    how.add_argument("--rounds", type=int, default=11, metavar="N", help="measured rounds, at least 5 (default: 11)")
    how.add_argument(
        "--timeout", type=float, default=300.0, metavar="SECONDS",
        help="end a process if a step, or building its graph, takes longer (default: 300)",
    )
    result = parser.add_argument_group("the result")
    result.add_argument("--json", metavar="FILE", help="write all results as JSON, also for --against")
    result.add_argument("--html", metavar="FILE", help="write the results as one HTML page, which needs no network")
    result.add_argument(
        "--against", metavar="OLD.json",
        help="also print the changes since the comparison that wrote OLD.json with --json",
    )
    add_job(parser, given)


def check(arguments: argparse.Namespace) -> None:
    import_psutil()
    check_settings(_settings(arguments))
    for option in ("json", "html"):
        check_file("--" + option, getattr(arguments, option))
    if arguments.json is not None and arguments.html is not None:
        if os.path.realpath(arguments.json) == os.path.realpath(arguments.html) != os.path.realpath(os.devnull):
            raise ArgumentError("--json and --html are the same file, {!r}: name two files".format(arguments.json))
    if arguments.html is not None:
        from legacy_towers.report.html import import_jinja2

        import_jinja2()
    if arguments.against is not None:
        if not os.path.exists(arguments.against):
            problem = "there is no file {!r}{}".format(arguments.against, working_directory_of(arguments.against))
            write = "write it first, by `legacy-towers compare JOB --json {}`".format(arguments.against)
            raise ArgumentError("--against: {}: {}".format(problem, write))
        read_json(arguments.against)


def _settings(arguments: argparse.Namespace) -> CompareSettings:
    options = (
        "inputs", "variables", "reductions", "input", "towers", "steps", "rounds", "current", "per_tower_batch_size",
        "device", "timeout",
    )
    return CompareSettings(**{name: getattr(arguments, name) for name in options})


def run(arguments: argparse.Namespace) -> int:
    job_function, job = job_of(arguments)
    from legacy_towers.compare.engine import compare
    from legacy_towers.compare.strategy_candidates import find_candidates

    settings = _settings(arguments)
    old = None if arguments.against is None else read_json(arguments.against)
    candidates = find_candidates(job, settings)
    for note in candidates.notes:
        print(note, file=sys.stderr)
    call = JobCall(arguments.job, job_function.name, options_of(arguments))
    with _Progress() as progress:
        document = compare(
            call, job, settings, candidates, progress.phase, progress.lines, arguments.command_line
        )
    # Files first: printing fails if the reader of a pipe has closed it.
    if arguments.json is not None:
        write_json(document, arguments.json)
    if arguments.html is not None:
        from legacy_towers.report.html import write_html

        write_html(document, arguments.html)
    layout = layout_of(sys.stdout)
    print(format_document(document, layout))
    if old is not None:
        from legacy_towers.report.changes import format_changes

        print("\n" + format_changes(old, document, layout))
    failed = all(row.failed is not None for row in document.rows if row.candidate != SYNTHETIC)
    return 1 if failed else 0


def _numbers(text: str) -> List[int]:
    try:
        return [int(number) for number in text.split(",") if number.strip()]
    except ValueError:
        raise argparse.ArgumentTypeError("{!r} is not a list of whole numbers, such as 1,2,4".format(text)) from None


class _Progress:
    """Prints progress to standard error: on a terminal one line that is overwritten, otherwise a line per phase."""

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
