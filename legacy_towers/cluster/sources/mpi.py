"""mpirun of OpenMPI and of MPICH: ranks by variables, machines by a hostfile, since no variable has them."""
import os
import re
from typing import List, Mapping, NamedTuple, Tuple

from legacy_towers.cluster.sources.registry import Options, source
from legacy_towers.cluster.validation import cluster_of, placed, split_ranks, whole_number
from legacy_towers.cluster.value import Cluster
from legacy_towers.errors import ClusterError

# Of the options of a line, only `slots` counts.
_LINE = re.compile(r"(?P<host>[^\s:=]+)(?::(?P<colon>\d+))?(?:\s+[\w-]+=\d+)*$")
_SLOTS = re.compile(r"\sslots=(\d+)")


class _Variables(NamedTuple):
    """The names of an MPI's variables: `size` and `rank` of all processes, `local` the rank on this machine."""

    size: str
    rank: str
    local: str


_OPENMPI = _Variables("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK")
_MPICH = _Variables("PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID")


@source(
    2, "OpenMPI", "OMPI_COMM_WORLD_RANK (mpirun sets it)", lambda environ, options: _OPENMPI.rank in environ,
    takes=("port", "hostfile", "parameter_servers"),
)
def read_openmpi(environ: Mapping[str, str], options: Options) -> Cluster:
    """Returns the cluster of the processes of OpenMPI's mpirun.

    Raises:
      ClusterError: a variable or the hostfile is missing, can't be read, or they contradict each other.
    """
    return _read(environ, options, _OPENMPI, "OpenMPI")


# After SLURM, which sets PMI_RANK too (srun --mpi=pmi2).
@source(
    4, "MPICH", "PMI_RANK (mpiexec sets it)", lambda environ, options: _MPICH.rank in environ,
    takes=("port", "hostfile", "parameter_servers"),
)
def read_mpich(environ: Mapping[str, str], options: Options) -> Cluster:
    """Returns the cluster of the processes of MPICH's mpiexec (Hydra, Intel MPI); raises as `read_openmpi`."""
    return _read(environ, options, _MPICH, "MPICH")


def _read(environ: Mapping[str, str], options: Options, names: _Variables, mpi: str) -> Cluster:
    size, rank = whole_number(environ, names.size), whole_number(environ, names.rank)
    if options.hostfile is None:
        raise ClusterError(
            "{} is set, and {}'s variables don't have the machines: give the hostfile of mpirun by "
            "--cluster-hostfile (hostfile= in Python), with a line such as 'node1 slots=2' per machine".format(
                names.rank, mpi
            )
        )
    hosts, slots = _hostfile(options.hostfile)
    if sum(slots) < size:
        raise ClusterError("{} is {}, and the hostfile {!r} has {} slots: it must be that of mpirun".format(
            names.size, size, options.hostfile, sum(slots)
        ))
    addresses = placed(hosts, slots, options.port, mpi)[:size]
    local = [before for host, count in zip(hosts, slots) for before in range(count)][:size]
    if names.local in environ and rank < size and whole_number(environ, names.local) != local[rank]:
        raise ClusterError(
            "{} is {} for rank {}, where the hostfile {!r} makes it {}: ranks must fill the machines one after the "
            "other, as with mpirun --map-by slot".format(
                names.local, environ[names.local], rank, options.hostfile, local[rank]
            )
        )
    jobs, job, index = split_ranks(addresses, options.parameter_servers, rank, "{} ({})".format(mpi, names.size))
    read_names = [name for name in names if name in environ]
    variables = [(name, environ[name]) for name in read_names] + [("hostfile", options.hostfile)]
    return cluster_of(jobs, job, index, mpi, variables)


def _hostfile(path: str) -> Tuple[List[str], List[int]]:
    """Returns the hosts of a hostfile, `node1 slots=2` (OpenMPI) or `node1:2` (MPICH), and their numbers of slots."""
    if not os.path.isfile(path):
        raise ClusterError("the hostfile {!r} is not a file".format(path))
    hosts: List[str] = []
    slots: List[int] = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            text = re.sub(r"\s*=\s*", "=", line.partition("#")[0].strip())
            if not text:
                continue
            match = _LINE.match(text)
            if match is None:
                raise ClusterError("line {} of the hostfile {!r} is {!r}: a line is 'node1', 'node1 slots=2' or "
                                   "'node1:2'".format(number, path, text))
            given = _SLOTS.search(text)
            if match.group("host") in hosts:
                raise ClusterError("line {} of the hostfile {!r} names {} again: give each machine one line, with its "
                                   "slots".format(number, path, match.group("host")))
            hosts.append(match.group("host"))
            slots.append(int(given.group(1) if given else match.group("colon") or 1))
    if not hosts:
        raise ClusterError("the hostfile {!r} names no machine".format(path))
    return hosts, slots
