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
machines agree, by files in --shared-dir, when all start and, after a failure, start
again; with --elastic they go on without a machine that is lost.
"""
import argparse
import os
import re
import shutil
import sys
from typing import Callable, List, Optional, Sequence, Tuple

from legacy_towers.cli.cluster_options import check_no_cluster_options
from legacy_towers.cli.launch_task import add_task_options, launch_own_task
from legacy_towers.cli.log_file import value_of
from legacy_towers.cli.parser import Parser
from legacy_towers.cluster.launching.elastic import RETURN_SECONDS, Elastic, Range, parse_range
from legacy_towers.cluster.value import EVALUATOR
from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import did_you_mean

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
        "--gpus-per-worker", type=int, metavar="N",
        help="GPUs of its own for each worker, by CUDA_VISIBLE_DEVICES, none for other tasks (default: all GPUs for "
        "each task)",
    )
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
    add_task_options(parser)
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
    if arguments.gpus_per_worker is not None and arguments.gpus_per_worker < 0:
        raise ArgumentError("--gpus-per-worker is {}: it must be at least 0".format(arguments.gpus_per_worker))
    numbers = _numbers(arguments)
    newest_checkpoint = None
    if words[:1] == ["train"]:
        words, newest_checkpoint = _train_words(words, arguments)
    elif arguments.towers is not None:
        raise ArgumentError("--towers is an option of `train`: what is launched is {!r}".format(" ".join(words)))
    if arguments.cluster is not None:
        return launch_own_task(
            arguments, _command(words), words, numbers, _return_seconds(arguments), newest_checkpoint
        )
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
        newest_checkpoint=newest_checkpoint, gpus_per_worker=arguments.gpus_per_worker,
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
    # A step that stands still is ended too: what can start again must not wait without end.
    words += ["--on-stall", "abort"] if resuming is not None and "--on-stall" not in given else []
    return words, newest_checkpoint


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
