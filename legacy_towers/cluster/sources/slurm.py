"""SLURM: the variables that srun sets for each task of a step."""
from typing import Mapping, Sequence

from legacy_towers.cluster.sources.registry import Options, source
from legacy_towers.cluster.sources.slurm_names import counts_per_node, node_names
from legacy_towers.cluster.validation import cluster_of, placed, split_ranks, whole_number
from legacy_towers.cluster.value import Cluster
from legacy_towers.errors import ClusterError

NAME = "SLURM"
# A step can use fewer nodes and tasks than its job, and srun describes both: those of the step come first.
_NODES = ("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST")
_PER_NODE = ("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE")
_TASKS = ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS")
# Distributions of tasks over nodes that fill one node after the other; what follows a colon orders sockets and cores.
_BLOCKS = ("block", "pack", "nopack")
_BLOCK_ADVICE = "give srun --distribution=block, so that ranks fill the nodes one after the other"


def _first(environ: Mapping[str, str], names: Sequence[str]) -> str:
    for name in names:
        if environ.get(name):
            return name
    raise ClusterError("SLURM_PROCID is set, but none of {}: start the tasks by srun".format(", ".join(names)))


@source(
    3, NAME, "SLURM_PROCID (srun sets it)", lambda environ, options: "SLURM_PROCID" in environ,
    takes=("port", "parameter_servers"),
)
def read(environ: Mapping[str, str], options: Options) -> Cluster:
    """Returns the cluster of the tasks of a step of SLURM; each node's tasks have the ports from `options.port` on.

    Raises:
      ClusterError: a variable is missing, can't be read, or contradicts another.
    """
    rank = whole_number(environ, "SLURM_PROCID")
    of_nodes, of_counts, of_tasks = _first(environ, _NODES), _first(environ, _PER_NODE), _first(environ, _TASKS)
    nodes = node_names(environ[of_nodes], of_nodes)
    counts = counts_per_node(environ[of_counts], of_counts)
    tasks = whole_number(environ, of_tasks)
    if len(counts) != len(nodes) or sum(counts) != tasks:
        raise ClusterError(
            "{}={} names {} nodes, {}={} has {} tasks on {} nodes, and {} is {}: these contradict each other. Start "
            "all tasks by one srun".format(
                of_nodes, environ[of_nodes], len(nodes), of_counts, environ[of_counts], sum(counts), len(counts),
                of_tasks, tasks,
            )
        )
    _check_distribution(environ)
    addresses = placed(nodes, counts, options.port, NAME)
    if rank < tasks:
        _check_place(environ, nodes, counts, rank)
    jobs, job, index = split_ranks(addresses, options.parameter_servers, rank, "SLURM ({})".format(of_tasks))
    read_names = ["SLURM_PROCID", of_nodes, of_counts, of_tasks]
    return cluster_of(jobs, job, index, NAME, [(name, environ[name]) for name in read_names])


def _check_distribution(environ: Mapping[str, str]) -> None:
    """Raises ClusterError if srun did not fill the nodes one after the other."""
    given = environ.get("SLURM_DISTRIBUTION", "")
    if given and given.lower().split(",")[0].split(":")[0] not in _BLOCKS:
        raise ClusterError("SLURM_DISTRIBUTION is {!r}: {}".format(given, _BLOCK_ADVICE))


def _check_place(environ: Mapping[str, str], nodes: Sequence[str], counts: Sequence[int], rank: int) -> None:
    """Raises ClusterError if SLURM placed this task elsewhere than its rank says: only blocks are supported."""
    places = [(node, local) for node, count in enumerate(counts) for local in range(count)]
    node, local = places[rank]
    name = environ.get("SLURMD_NODENAME")
    if name and name.lower() != nodes[node].lower():
        raise ClusterError("SLURM_PROCID is {} on the node {}, where the node list has {}: {}".format(
            rank, name, nodes[node], _BLOCK_ADVICE
        ))
    for variable, expected in (("SLURM_NODEID", node), ("SLURM_LOCALID", local)):
        if environ.get(variable) and whole_number(environ, variable) != expected:
            raise ClusterError("{} is {} for SLURM_PROCID {}, where {} tasks on the nodes {} make it {}: {}".format(
                variable, environ[variable], rank, ", ".join(map(str, counts)), ", ".join(nodes), expected,
                _BLOCK_ADVICE,
            ))
