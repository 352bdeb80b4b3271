"""The options that describe a cluster, and the cluster that they give."""
import argparse
from typing import Any

from legacy_towers.cluster.environment import from_environment
from legacy_towers.cluster.value import START_SECONDS, Cluster
from legacy_towers.errors import ArgumentError

# The value of --cluster without hosts.
ENVIRONMENT = "environment"
_PORT = 2222


def add_description_options(group: Any) -> None:
    """Adds the options that describe a cluster, and which of its tasks this is, to a parser."""
    group.add_argument(
        "--cluster", nargs="?", const=ENVIRONMENT, metavar="JOB=HOST:PORT,...",
        help="the tasks of the cluster, as in 'worker=h1:2222,h2:2222;ps=h3:2222'; without a value they are those of "
        "TF_CONFIG, mpirun or srun",
    )
    group.add_argument(
        "--task", metavar="JOB:INDEX", help="with --cluster JOB=HOST:PORT,...: the task that this process is"
    )
    group.add_argument(
        "--cluster-port", type=int, default=_PORT, metavar="PORT",
        help="srun and mpirun: port of the first task of each machine (default: {})".format(_PORT),
    )
    group.add_argument("--cluster-hostfile", metavar="FILE", help="mpirun: its hostfile, with a machine per line")
    group.add_argument(
        "--cluster-ps", type=int, default=0, metavar="N",
        help="srun and mpirun: the last N tasks are parameter servers (default: 0)",
    )


def add_cluster_options(group: Any) -> None:
    """Adds the options that describe a cluster, and those of its start, to a parser."""
    add_description_options(group)
    group.add_argument(
        "--start-seconds", type=float, default=START_SECONDS, metavar="SECONDS",
        help="how long to wait for the other tasks (default: {:g})".format(START_SECONDS),
    )
    group.add_argument(
        "--allow-any-interface", action="store_true",
        help="let other machines reach the server by all addresses of this machine, not only by its own in the cluster",
    )


def cluster_of(arguments: argparse.Namespace) -> Cluster:
    """Returns the cluster that the options and the environment describe.

    Raises:
      ClusterError: nothing describes one, or what does contradicts itself.
      ArgumentError: an option is out of range.
    """
    if not arguments.start_seconds > 0:
        raise ArgumentError("--start-seconds is {:g}: a number above 0 is needed".format(arguments.start_seconds))
    if not 0 < arguments.cluster_port < 65536:
        raise ArgumentError("--cluster-port is {}: a port from 1 to 65535 is needed".format(arguments.cluster_port))
    return from_environment(
        hosts=None if arguments.cluster in (None, ENVIRONMENT) else arguments.cluster,
        task=arguments.task,
        port=arguments.cluster_port,
        hostfile=arguments.cluster_hostfile,
        parameter_servers=arguments.cluster_ps,
    )


def check_no_cluster_options(arguments: argparse.Namespace, **others: Any) -> None:
    """Raises ArgumentError where an option for a cluster is given without --cluster.

    Args:
      others: the values of options that have no effect without it either, by their names, false where not given.
    """
    given = {
        "--task": arguments.task, "--cluster-hostfile": arguments.cluster_hostfile,
        "--cluster-ps": arguments.cluster_ps, "--cluster-port": arguments.cluster_port != _PORT,
    }
    given.update(("--" + name.replace("_", "-"), value) for name, value in others.items())
    for option, value in given.items():
        if value:
            raise ArgumentError("{} has no effect without --cluster".format(option))
