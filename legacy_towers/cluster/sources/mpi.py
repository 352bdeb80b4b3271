"""mpirun of OpenMPI and mpiexec of MPICH: ranks by variables, machines by a hostfile, or by SLURM's list of nodes."""
import os
import re
from typing import List, Mapping, NamedTuple, Tuple

from legacy_towers.cluster.sources.registry import Options, source
from legacy_towers.cluster.sources.slurm_names import node_names
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


class _Mpi(NamedTuple):
    """An MPI: its name, launcher and variables, and what lets ranks fill the machines one after the other."""

    name: str
    launcher: str
    by_slot: str
    variables: _Variables


_OPENMPI = _Mpi(
    "OpenMPI", "mpirun", "mpirun --map-by slot",
    _Variables("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"),
)
_MPICH = _Mpi("MPICH", "mpiexec", "mpiexec by default", _Variables("PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"))
# How many processes of OpenMPI run on this machine.
_LOCAL_SIZE = "OMPI_COMM_WORLD_LOCAL_SIZE"
_SLURM_NODES = "SLURM_JOB_NODELIST"


@source(
    2, "OpenMPI", "OMPI_COMM_WORLD_RANK (mpirun sets it)", lambda environ, options: _OPENMPI.variables.rank in environ,
    takes=("port", "hostfile", "parameter_servers"),
)
def read_openmpi(environ: Mapping[str, str], options: Options) -> Cluster:
    """Returns the cluster of the processes of OpenMPI's mpirun.

    Raises:
      ClusterError: a variable or the hostfile is missing, can't be read, or they contradict each other.
    """
    return _read(environ, options, _OPENMPI)


# After SLURM, which sets PMI_RANK too (srun --mpi=pmi2).
@source(
    4, "MPICH", "PMI_RANK (mpiexec sets it)", lambda environ, options: _MPICH.variables.rank in environ,
    takes=("port", "hostfile", "parameter_servers"),
)
def read_mpich(environ: Mapping[str, str], options: Options) -> Cluster:
    """Returns the cluster of the processes of MPICH's mpiexec (Hydra, Intel MPI); raises as `read_openmpi`."""
    return _read(environ, options, _MPICH)


def _read(environ: Mapping[str, str], options: Options, mpi: _Mpi) -> Cluster:
    names = mpi.variables
    size, rank = whole_number(environ, names.size), whole_number(environ, names.rank)
    hosts, slots, where = _machines(environ, options, mpi, size)
    if sum(slots) < size:
        raise ClusterError("{} is {}, and {} has {} slots: it must be that of {}".format(
            names.size, size, where, sum(slots), mpi.launcher
        ))
    addresses = placed(hosts, slots, options.port, mpi.name)[:size]
    places = [(host, before) for host, count in zip(hosts, slots) for before in range(count)][:size]
    if rank < size:
        _check_place(environ, mpi, rank, places[rank], where)
    jobs, job, index = split_ranks(addresses, options.parameter_servers, rank, "{} ({})".format(mpi.name, names.size))
    read_names = [name for name in names if name in environ]
    variables = [(name, environ[name]) for name in read_names]
    if options.hostfile is not None:
        variables.append(("hostfile", options.hostfile))
    else:
        variables += [(name, environ[name]) for name in (_LOCAL_SIZE, _SLURM_NODES)]
    return cluster_of(jobs, job, index, mpi.name, variables)


def _machines(environ: Mapping[str, str], options: Options, mpi: _Mpi, size: int) -> Tuple[List[str], List[int], str]:
    """Returns the machines, their numbers of slots, and what has them, for messages.

    Within a job of SLURM, OpenMPI's mpirun takes the job's nodes, and needs no hostfile.
    """
    if options.hostfile is not None:
        return _hostfile(options.hostfile) + ("the hostfile {!r}".format(options.hostfile),)
    advice = "give the hostfile of {} by --cluster-hostfile (hostfile= in Python), with a line such as {!r} per machine"
    advice = advice.format(mpi.launcher, "node1:2" if mpi is _MPICH else "node1 slots=2")
    if mpi is _OPENMPI and environ.get(_SLURM_NODES) and environ.get(_LOCAL_SIZE):
        hosts, local_size = node_names(environ[_SLURM_NODES], _SLURM_NODES), whole_number(environ, _LOCAL_SIZE)
        if local_size * len(hosts) != size:
            raise ClusterError(
                "{} is {}, {} is {}, and {}={} names {} nodes: the same number of tasks on each is needed, else "
                "{}".format(
                    mpi.variables.size, size, _LOCAL_SIZE, local_size, _SLURM_NODES, environ[_SLURM_NODES], len(hosts),
                    advice,
                )
            )
        return hosts, [local_size] * len(hosts), "{}={}".format(_SLURM_NODES, environ[_SLURM_NODES])
    raise ClusterError("{} is set, and {}'s variables don't have the machines: {}".format(
        mpi.variables.rank, mpi.name, advice
    ))


def _check_place(environ: Mapping[str, str], mpi: _Mpi, rank: int, place: Tuple[str, int], where: str) -> None:
    """Raises ClusterError if this process runs elsewhere than its rank says."""
    host, local = place
    variable = mpi.variables.local
    if variable in environ and whole_number(environ, variable) != local:
        raise ClusterError(
            "{} is {} for rank {}, where {} makes it {}: ranks must fill the machines one after the other, as with "
            "{}".format(variable, environ[variable], rank, where, local, mpi.by_slot)
        )
    node = environ.get("SLURMD_NODENAME")
    if where.startswith(_SLURM_NODES) and node and node.lower() != host.lower():
        raise ClusterError(
            "rank {} is on the node {}, where {} has {}: ranks must fill the machines one after the other, as with "
            "{}".format(rank, node, where, host, mpi.by_slot)
        )


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
            if match.group("host").lower() in [host.lower() for host in hosts]:
                raise ClusterError("line {} of the hostfile {!r} names {} again: give each machine one line, with its "
                                   "slots".format(number, path, match.group("host")))
            hosts.append(match.group("host"))
            slots.append(int(given.group(1) if given else match.group("colon") or 1))
    if not hosts:
        raise ClusterError("the hostfile {!r} names no machine".format(path))
    return hosts, slots
