"""Prints the tasks of a cluster and which one this process is, from TF_CONFIG, srun, mpirun or lists of hosts.

With --check, it starts TensorFlow's server of this task, waits for the others, and
compares their versions: run it as each task, by the launcher that will start the
training, or on this machine by `legacy-towers launch --workers 2 -- cluster --check`.
With --tf-config, it prints this task's TF_CONFIG alone.
"""
import argparse
from typing import Sequence

from legacy_towers.cli.cluster_options import add_cluster_options, cluster_of
from legacy_towers.cli.parser import Parser
from legacy_towers.cluster.value import START_SECONDS
from legacy_towers.errors import ArgumentError


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--check", action="store_true", help="start the server of this task, and wait until all are there and agree"
    )
    what.add_argument(
        "--tf-config", action="store_true", help="print the TF_CONFIG of this task, for programs that read it"
    )
    add_cluster_options(parser)


def run(arguments: argparse.Namespace) -> int:
    of_start = {
        "--start-seconds": arguments.start_seconds != START_SECONDS,
        "--allow-any-interface": arguments.allow_any_interface,
    }
    for option, is_given in of_start.items():
        if is_given and not arguments.check:
            raise ArgumentError("{} has no effect without --check".format(option))
    cluster = cluster_of(arguments)
    if arguments.tf_config:
        print(cluster.to_tf_config())
        return 0
    print(cluster, flush=True)
    if not arguments.check:
        return 0
    from legacy_towers import cluster as clusters
    from legacy_towers.compat import tf

    clusters.start(
        cluster, job="legacy-towers cluster --check", start_seconds=arguments.start_seconds,
        allow_any_interface=arguments.allow_any_interface,
    )
    count = len(cluster.connected_tasks)
    there = "the only task is" if count == 1 else "all {} tasks are".format(count)
    print("{} there, with TensorFlow {}".format(there, tf.__version__))
    return 0
