"""Runs a command as each task of a cluster on this machine: each process gets its TF_CONFIG.

The command is a program that reads TF_CONFIG, such as `python train.py`, or a subcommand
of legacy-towers, such as `train JOB`, which all tasks train together, `run train.py` or
`cluster --check`. For programs that have flags instead, {job_name}, {task_index},
{ps_hosts}, {worker_hosts} and {chief_hosts} in the command become those of the task, as
in `run train.py --job_name={job_name} --task_index={task_index}`. Each line of output
begins with the name of the task. When a task fails, the others are ended, and the exit
code is that of the task; Ctrl-C and SIGTERM end all.
"""
import argparse
import shutil
import sys
from typing import Callable, List, Optional, Sequence

from legacy_towers.cli.log_file import value_of
from legacy_towers.cli.parser import Parser
from legacy_towers.cluster.launching.elastic import RETURN_SECONDS, Elastic, parse_range
from legacy_towers.cluster.value import EVALUATOR
from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import did_you_mean

# The subcommands that a task can run.
SUBCOMMANDS = ("train", "cluster", "run", "env")
_DASHES = "--"


def add_arguments(parser: Parser, given: List[str]) -> None:
    parser.add_argument("--workers", type=int, metavar="N", help="tasks that train (default: 1)")
    parser.add_argument("--ps", type=int, default=0, metavar="N", help="parameter servers (default: 0)")
    parser.add_argument("--chief", action="store_true", help="a chief besides the workers, as tf.estimator needs it")
    parser.add_argument(
        "--evaluators", type=int, default=0, metavar="N", help="tasks that evaluate: 0 or 1 (default: 0)"
    )
    parser.add_argument("--towers", type=int, metavar="N", help="towers of each task, with `-- train JOB`")
    parser.add_argument(
        "--restarts", type=int, default=0, metavar="N",
        help="how often all tasks start again when one fails; train resumes from its last checkpoint (default: 0)",
    )
    parser.add_argument(
        "--elastic", metavar="MIN:MAX",
        help="in place of --workers: MAX workers train; when one fails, those left go on from the last checkpoint, "
        "MIN at least",
    )
    parser.add_argument(
        "--return-seconds", type=float, metavar="SECONDS",
        help="with --elastic: all workers train again after this time (default: {:g})".format(RETURN_SECONDS),
    )
    # What follows -- is not parsed: it has options of its own.
    words: List[str] = []
    if _DASHES in given:
        start = list(given).index(_DASHES)
        words = list(given[start + 1:])
        del given[start:]
    parser.add_argument("command_words", nargs="*", metavar="-- COMMAND ...", help="what each task runs")
    parser.set_defaults(launched=words)


def run(arguments: argparse.Namespace) -> int:
    words = list(arguments.launched)
    if arguments.command_words:
        raise ArgumentError("write the command after --, as in: legacy-towers launch --workers 2 -- {}".format(
            " ".join(arguments.command_words + words)
        ))
    if arguments.restarts < 0:
        raise ArgumentError("--restarts is {}: it must be at least 0".format(arguments.restarts))
    elastic = _elastic(arguments)
    newest_checkpoint = None
    if words[:1] == ["train"]:
        resuming = "--restarts" if arguments.restarts else "--elastic" if elastic is not None else None
        if resuming is not None and not any(word.split("=")[0] == "--checkpoint-dir" for word in words):
            raise ArgumentError("{} needs a checkpoint to resume from: give --checkpoint-dir to train".format(resuming))
        newest_checkpoint = _newest_checkpoint(words)
        # Last, where nothing follows that could be taken for its value.
        words += [] if any(word.split("=")[0] == "--cluster" for word in words) else ["--cluster"]
        words += ["--evaluator"] if arguments.evaluators and "--evaluator" not in words else []
        if arguments.towers is not None and any(word.split("=")[0] == "--towers" for word in words):
            raise ArgumentError("--towers is given to launch and to train: give it once")
        words += [] if arguments.towers is None else ["--towers", str(arguments.towers)]
        words += [] if elastic is None else ["--elastic", arguments.elastic]
    elif arguments.towers is not None:
        raise ArgumentError("--towers is an option of `train`: what is launched is {!r}".format(" ".join(words)))
    from legacy_towers.cluster.launching.one_machine import launch

    return launch(
        _command(words), 1 if arguments.workers is None else arguments.workers, arguments.ps, chief=arguments.chief,
        evaluators=arguments.evaluators, restarts=arguments.restarts,
        optional=(EVALUATOR,) if words[:1] == ["train"] else (), elastic=elastic,
        newest_checkpoint=newest_checkpoint,
    )


def _newest_checkpoint(words: Sequence[str]) -> Optional[Callable[[], Optional[str]]]:
    """Returns what finds the name of the newest checkpoint; None if there is no directory, or one for each task."""
    directory = value_of(words, "--checkpoint-dir")
    if directory is None or "{" in directory:
        return None

    def newest() -> Optional[str]:
        from legacy_towers.training.checkpoints.state_file import read_state

        return read_state(str(directory)).newest

    return newest


def _elastic(arguments: argparse.Namespace) -> Optional[Elastic]:
    """Returns how many workers train after one has failed; None where that is not given.

    Raises:
      ArgumentError: the options are wrong, or have no effect.
    """
    seconds = RETURN_SECONDS if arguments.return_seconds is None else arguments.return_seconds
    if arguments.elastic is None:
        if arguments.return_seconds is not None:
            raise ArgumentError("--return-seconds has no effect without --elastic")
        return None
    if arguments.workers is not None:
        raise ArgumentError("--elastic {} says how many workers train: leave out --workers".format(arguments.elastic))
    if not seconds > 0:
        raise ArgumentError("--return-seconds is {:g}: a number above 0 is needed".format(seconds))
    return Elastic(parse_range(arguments.elastic), seconds)


def _command(words: Sequence[str]) -> List[str]:
    """Returns the program to run: a subcommand is run by this Python.

    Raises:
      ArgumentError: there is no such subcommand or program.
    """
    if words and words[0] in SUBCOMMANDS:
        return [sys.executable, "-m", "legacy_towers"] + list(words)
    if words and shutil.which(words[0]) is None:
        raise ArgumentError("{!r} is neither a program nor one of the subcommands {}{}".format(
            words[0], ", ".join(SUBCOMMANDS), did_you_mean(words[0], SUBCOMMANDS)
        ))
    return list(words)
