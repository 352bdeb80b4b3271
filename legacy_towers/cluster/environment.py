"""Finds out which cluster this process belongs to: by explicit lists, TF_CONFIG, mpirun or SLURM."""
import os
from typing import Mapping, Optional

from legacy_towers.cluster.sources import SOURCES, Options
from legacy_towers.cluster.value import Cluster
from legacy_towers.errors import ClusterError

# Field of `Options` that only some descriptions need -> its option on the command line.
_OPTIONS = {"port": "--cluster-port", "hostfile": "--cluster-hostfile", "parameter_servers": "--cluster-ps"}


def from_environment(
    environ: Mapping[str, str] = os.environ,
    hosts: Optional[str] = None,
    task: Optional[str] = None,
    port: int = 2222,
    hostfile: Optional[str] = None,
    parameter_servers: int = 0,
) -> Cluster:
    """Returns the cluster that this process belongs to.

    Of several descriptions the most explicit one is read: `hosts`, TF_CONFIG, OpenMPI, SLURM, MPICH.

    Args:
      environ: the environment variables.
      hosts: the tasks of each job, such as "worker=h1:2222,h2:2222;ps=h3:2222".
      task: with `hosts`, this process, such as "worker:0".
      port: the port of the first task of each machine, for SLURM and MPI, which give only hosts; the second task of a
        machine has the next port, and so on.
      hostfile: for MPI, the hostfile of mpirun: `node1 slots=2` or `node1:2` per line.
      parameter_servers: for SLURM and MPI, how many tasks are parameter servers: those of the highest ranks.

    Raises:
      ClusterError: nothing describes a cluster, what does contradicts itself, or has no use for an argument.
    """
    if task is not None and hosts is None:
        raise ClusterError("--task {} (task) needs --cluster JOB=HOST:PORT,... (hosts): other descriptions of a "
                           "cluster state which task this process is".format(task))
    options = Options(hosts, task, port, hostfile, parameter_servers)
    present = [each for each in SOURCES if each.is_present(environ, options)]
    if not present:
        raise ClusterError("nothing describes a cluster: one of these is needed: {}".format(
            "; ".join(each.needs for each in SOURCES)
        ))
    for name, option in _OPTIONS.items():
        if name not in present[0].takes and getattr(options, name) != getattr(Options(), name):
            raise ClusterError("{} {} ({}) has no meaning where {} describes the cluster: leave it out".format(
                option, getattr(options, name), name, present[0].name
            ))
    unused = tuple("{}: {} is more explicit".format(each.name, present[0].name) for each in present[1:])
    return present[0].read(environ, options)._replace(unused=unused)
