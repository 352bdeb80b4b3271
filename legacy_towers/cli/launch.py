"""Runs a command as each task of a cluster on this machine, or as one task of a cluster of several machines.

The command is a program that reads TF_CONFIG, such as `python train.py`, or a subcommand
of legacy-towers, such as `train JOB`, which all tasks train together, `run train.py` or
`cluster --check`. For programs that have flags instead, {job_name}, {task_index},
{ps_hosts}, {worker_hosts} and {chief_hosts} in the command become those of the task, as
in `run train.py --job_name={job_name} --task_index={task_index}`. Each line of output
begins with the name of the task. When a task fails, the others are ended, and the exit
code is that of the task; Ctrl-C and SIGTERM end all.

With --cluster, which is given on each machine, the cluster is that of TF_CONFIG, mpirun,
srun or a list, and the command runs as this machine's task of it. The launchers of all
machines agree, by files in --shared-dir, when all start, again after a failure, and with
--elastic without a machine that is lost.
"""
import argparse
import os
import re
import shutil
import sys
from typing import Callable, List, Optional, Sequence, Tuple

from legacy_towers.cli.cluster_options import add_description_options, check_no_cluster_options, cluster_of
from legacy_towers.cli.log_file import value_of
from legacy_towers.cli.parser import Parser
from legacy_towers.cluster.launching.elastic import (
    JOIN_SECONDS,
    RETURN_SECONDS,
    START_SECONDS,
    Elastic,
    Range,
    parse_range,
)
from legacy_towers.cluster.value import EVALUATOR
from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import counted, did_you_mean

# The subcommands that a task can run.
SUBCOMMANDS = ("train", "cluster", "run", "env")
_DASHES = "--"
# The line of the file "checkpoint" that names the newest one.
_NEWEST = re.compile(r'^model_checkpoint_path: "(.*)"', re.MULTILINE)


def add_arguments(parser: Parser, given: List[str]) -> None:
    parser.add_argument("--workers", type=int, metavar="N", help="tasks that train (default: 1)")
    parser.add_argument("--ps", type=int, metavar="N", help="parameter servers (default: 0)")
    parser.add_argument("--chief", action="store_true", help="a chief besides the workers, as tf.estimator needs it")
    parser.add_argument(
        "--evaluators", type=int, metavar="N", help="tasks that evaluate: 0 or 1 (default: 0)"
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
    group = parser.add_argument_group("one task of a cluster of several machines")
    add_description_options(group)
    group.add_argument(
        "--shared-dir", metavar="DIR",
        help="with --cluster: a directory that all machines see (default: --checkpoint-dir of train)",
    )
    group.add_argument(
        "--join-seconds", type=float, metavar="SECONDS",
        help="with --cluster and --elastic: how long MIN workers wait for others before they start (default: "
        "{:g})".format(JOIN_SECONDS),
    )
    group.add_argument(
        "--start-seconds", type=float, metavar="SECONDS",
        help="with --cluster: how long to wait for the other machines (default: {:g})".format(START_SECONDS),
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
    numbers = _numbers(arguments)
    newest_checkpoint = None
    if words[:1] == ["train"]:
        words, newest_checkpoint = _train_words(words, arguments)
    elif arguments.towers is not None:
        raise ArgumentError("--towers is an option of `train`: what is launched is {!r}".format(" ".join(words)))
    if arguments.cluster is not None:
        return _launch_task(_command(words), words, arguments, numbers, newest_checkpoint)
    check_no_cluster_options(
        arguments, shared_dir=arguments.shared_dir, join_seconds=arguments.join_seconds,
        start_seconds=arguments.start_seconds,
    )
    from legacy_towers.cluster.launching.one_machine import launch

    return launch(
        _command(words), 1 if arguments.workers is None else arguments.workers, arguments.ps or 0,
        chief=arguments.chief, evaluators=arguments.evaluators or 0, restarts=arguments.restarts,
        optional=(EVALUATOR,) if words[:1] == ["train"] else (),
        elastic=None if numbers is None else Elastic(numbers, _return_seconds(arguments)),
        newest_checkpoint=newest_checkpoint,
    )


def _train_words(
    words: List[str], arguments: argparse.Namespace
) -> Tuple[List[str], Optional[Callable[[], Optional[str]]]]:
    """Returns the words of `train JOB` with what the launch adds, and what finds its newest checkpoint.

    Raises:
      ArgumentError: options of `train` are missing, or contradict those of the launch.
    """
    given = [word.split("=")[0] for word in words]
    resuming = "--restarts" if arguments.restarts else "--elastic" if arguments.elastic is not None else None
    if resuming is not None and "--checkpoint-dir" not in given:
        raise ArgumentError("{} needs a checkpoint to resume from: give --checkpoint-dir to train".format(resuming))
    if arguments.cluster is not None and (value_of(words, "--cluster") or "--task" in given):
        raise ArgumentError("--cluster is given to launch and to train: give it, and --task, to launch alone")
    newest_checkpoint = _newest_checkpoint(words)
    if arguments.towers is not None and "--towers" in given:
        raise ArgumentError("--towers is given to launch and to train: give it once")
    # Last, where nothing follows that could be taken for its value.
    words += [] if "--cluster" in given else ["--cluster"]
    words += ["--evaluator"] if arguments.evaluators and "--evaluator" not in words else []
    words += [] if arguments.towers is None else ["--towers", str(arguments.towers)]
    words += [] if arguments.elastic is None else ["--elastic", arguments.elastic]
    return words, newest_checkpoint


def _launch_task(
    command: List[str], words: List[str], arguments: argparse.Namespace, numbers: Optional[Range],
    newest_checkpoint: Optional[Callable[[], Optional[str]]],
) -> int:
    """Runs the command as one task of a cluster; returns the exit code.

    Raises:
      ArgumentError: an option is missing, out of range, or has no effect.
      ClusterError: nothing describes a cluster, or what does contradicts itself.
    """
    for option, value in (
        ("--workers", arguments.workers), ("--ps", arguments.ps), ("--evaluators", arguments.evaluators),
        ("--chief", arguments.chief or None),
    ):
        if value is not None:
            raise ArgumentError("--cluster says which tasks there are: leave out {}".format(option))
    join_seconds = JOIN_SECONDS if arguments.join_seconds is None else arguments.join_seconds
    if numbers is None and arguments.join_seconds is not None:
        raise ArgumentError("--join-seconds has no effect without --elastic: all tasks are needed")
    if not join_seconds >= 0:
        raise ArgumentError("--join-seconds is {:g}: it must be at least 0".format(join_seconds))
    arguments.start_seconds = START_SECONDS if arguments.start_seconds is None else arguments.start_seconds
    if numbers is not None and join_seconds >= arguments.start_seconds:
        raise ArgumentError("--join-seconds is {:g} and --start-seconds {:g}: launchers that wait for others would end "
                            "before they start without them; give a longer --start-seconds".format(
                                join_seconds, arguments.start_seconds))
    directory = arguments.shared_dir or (value_of(words, "--checkpoint-dir") if words[:1] == ["train"] else None)
    if directory is None:
        raise ArgumentError("--cluster needs a directory that all machines see: give --shared-dir to launch{}".format(
            ", or --checkpoint-dir to train" if words[:1] == ["train"] else ""
        ))
    if "://" in directory or "{" in directory:
        raise ArgumentError("the launchers can't write to {}: give a directory that all machines see by "
                            "--shared-dir".format(directory))
    cluster = cluster_of(arguments)
    numbers = numbers or Range(cluster.workers, cluster.workers)
    if numbers.most != cluster.workers:
        raise ArgumentError("--elastic {}: the cluster has {}".format(numbers, counted(cluster.workers, "worker")))
    from legacy_towers.cluster.launching.one_task import Times, launch_task
    from legacy_towers.cluster.launching.rounds import Settings

    print(cluster, file=sys.stderr, flush=True)
    return launch_task(
        cluster, command, directory, Settings(numbers, arguments.restarts, join_seconds),
        Times(arguments.start_seconds, _return_seconds(arguments)), newest_checkpoint,
    )


def _newest_checkpoint(words: Sequence[str]) -> Optional[Callable[[], Optional[str]]]:
    """Returns what finds the name of the newest checkpoint; None if there is no directory, or one for each task."""
    directory = value_of(words, "--checkpoint-dir")
    if directory is None or "{" in directory:
        return None

    return lambda: _newest_of(str(directory))


def _newest_of(directory: str) -> Optional[str]:
    if "://" in directory:
        from legacy_towers.training.checkpoints.state_file import read_state

        return read_state(directory).newest
    # Without TensorFlow: while it is imported, which can take longer than 15 seconds, this launcher would seem lost.
    try:
        with open(os.path.join(directory, "checkpoint"), "rb") as state:
            found = _NEWEST.search(state.read().decode("utf-8", "replace"))
    except OSError:
        return None
    return None if found is None else found.group(1)


def _numbers(arguments: argparse.Namespace) -> Optional[Range]:
    """Returns how many workers can train; None where --elastic is not given.

    Raises:
      ArgumentError: the options are wrong, or have no effect.
    """
    if arguments.elastic is None:
        if arguments.return_seconds is not None:
            raise ArgumentError("--return-seconds has no effect without --elastic")
        return None
    if arguments.workers is not None:
        raise ArgumentError("--elastic {} says how many workers train: leave out --workers".format(arguments.elastic))
    if not _return_seconds(arguments) > 0:
        raise ArgumentError("--return-seconds is {:g}: a number above 0 is needed".format(arguments.return_seconds))
    return parse_range(arguments.elastic)


def _return_seconds(arguments: argparse.Namespace) -> float:
    return float(RETURN_SECONDS if arguments.return_seconds is None else arguments.return_seconds)


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
