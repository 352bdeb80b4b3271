"""The options of `launch` for one task of a cluster of several machines, and its launch."""
import argparse
import sys
from typing import Callable, Optional, Sequence

from legacy_towers.cli.cluster_options import add_description_options, cluster_of
from legacy_towers.cli.log_file import value_of
from legacy_towers.cli.parser import Parser
from legacy_towers.cluster.launching.elastic import JOIN_SECONDS, START_SECONDS, Range
from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import counted


def add_task_options(parser: Parser) -> None:
    """Adds the options to the parser of `launch`, in a group of their own."""
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


def launch_own_task(
    arguments: argparse.Namespace, command: Sequence[str], words: Sequence[str], numbers: Optional[Range],
    return_seconds: float, newest_checkpoint: Optional[Callable[[], Optional[str]]],
) -> int:
    """Runs the command as the task of a cluster that this process is; returns the exit code.

    Args:
      command: the program and its arguments.
      words: the command as it was given, such as ["train", "job.py"].
      numbers: how many workers can train; None without --elastic.
      return_seconds: how long the workers train before others are taken in.
      newest_checkpoint: as for `launch_task`.

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
    if arguments.gpus_per_worker is not None:
        raise ArgumentError("--gpus-per-worker divides the GPUs of one machine over its workers; with --cluster this "
                            "machine has one task: set CUDA_VISIBLE_DEVICES for it")
    arguments.start_seconds = START_SECONDS if arguments.start_seconds is None else arguments.start_seconds
    join_seconds = _join_seconds(arguments, numbers)
    directory = _shared_directory(arguments, words)
    cluster = cluster_of(arguments)
    numbers = numbers or Range(cluster.workers, cluster.workers)
    if numbers.most != cluster.workers:
        raise ArgumentError("--elastic {}: the cluster has {}".format(numbers, counted(cluster.workers, "worker")))
    from legacy_towers.cluster.launching.one_task import Times, launch_task
    from legacy_towers.cluster.launching.rounds import Settings

    print(cluster, file=sys.stderr, flush=True)
    return launch_task(
        cluster, command, directory, Settings(numbers, arguments.restarts, join_seconds),
        Times(arguments.start_seconds, return_seconds), newest_checkpoint,
    )


def _join_seconds(arguments: argparse.Namespace, numbers: Optional[Range]) -> float:
    seconds = float(JOIN_SECONDS if arguments.join_seconds is None else arguments.join_seconds)
    if numbers is None and arguments.join_seconds is not None:
        raise ArgumentError("--join-seconds has no effect without --elastic: all tasks are needed")
    if not seconds >= 0:
        raise ArgumentError("--join-seconds is {:g}: it must be at least 0".format(seconds))
    if numbers is not None and seconds >= arguments.start_seconds:
        raise ArgumentError(
            "--join-seconds is {:g} and --start-seconds {:g}: launchers that wait for others would end before they "
            "start without them; give a longer --start-seconds".format(seconds, arguments.start_seconds)
        )
    return seconds


def _shared_directory(arguments: argparse.Namespace, words: Sequence[str]) -> str:
    """Returns the directory in which the launchers write."""
    is_train = list(words[:1]) == ["train"]
    directory: Optional[str] = arguments.shared_dir or (value_of(words, "--checkpoint-dir") if is_train else None)
    if directory is None:
        raise ArgumentError("--cluster needs a directory that all machines see: give --shared-dir to launch{}".format(
            ", or --checkpoint-dir to train" if is_train else ""
        ))
    if "://" in directory or "{" in directory:
        raise ArgumentError("the launchers can't write to {}: give a directory that all machines see by "
                            "--shared-dir".format(directory))
    return directory
