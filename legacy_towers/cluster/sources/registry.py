"""Registers what can describe a cluster, the most explicit first.

A source is one file in this folder, which registers itself by `@source(...)`; `__init__.py` imports it.
"""
from typing import Callable, List, Mapping, NamedTuple, Optional, Tuple

from legacy_towers.cluster.value import Cluster


class Options(NamedTuple):
    """What the caller gives besides the environment.

    Attributes:
      hosts: the tasks of each job, "worker=h1:2222,h2:2222;ps=h3:2222"; None if something else describes the cluster.
      task: with `hosts`, this process, such as "worker:0".
      port: the port of the first task of each machine, where a launcher gives only hosts.
      hostfile: the path of a file with the machines of mpirun, one per line; None without one.
      parameter_servers: how many tasks of a launcher, which has only ranks, are parameter servers: the last ones.
    """

    hosts: Optional[str] = None
    task: Optional[str] = None
    port: int = 2222
    hostfile: Optional[str] = None
    parameter_servers: int = 0


class Source(NamedTuple):
    """Something that can describe a cluster.

    Attributes:
      order: its place: of several that are present, that with the smallest number is read.
      name: its name in messages, such as "SLURM".
      needs: what makes it present, such as "SLURM_PROCID, as srun sets it".
      is_present: returns whether it describes a cluster.
      read: returns the cluster; raises a ClusterError for contradictions.
      takes: the fields of `Options` that it reads, of those that a description may need besides.
    """

    order: int
    name: str
    needs: str
    is_present: Callable[[Mapping[str, str], Options], bool]
    read: Callable[[Mapping[str, str], Options], Cluster]
    takes: Tuple[str, ...]


SOURCES: List[Source] = []


def source(
    order: int, name: str, needs: str, is_present: Callable[[Mapping[str, str], Options], bool],
    takes: Tuple[str, ...] = (),
) -> Callable[[Callable[[Mapping[str, str], Options], Cluster]], Callable[[Mapping[str, str], Options], Cluster]]:
    """Registers the function that it decorates as `Source.read`; see `Source` for the arguments."""

    def register(
        read: Callable[[Mapping[str, str], Options], Cluster]
    ) -> Callable[[Mapping[str, str], Options], Cluster]:
        SOURCES.append(Source(order, name, needs, is_present, read, takes))
        SOURCES.sort(key=lambda each: each.order)
        return read

    return register
