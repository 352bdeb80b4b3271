"""Checks a description of a cluster before anything starts: tasks, chiefs, addresses."""
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from legacy_towers.cluster.addresses import parse_address
from legacy_towers.cluster.value import CHIEF, EVALUATOR, JOBS, WORKER, Cluster, Task
from legacy_towers.errors import ClusterError
from legacy_towers.text.names import counted, did_you_mean, listed

_OTHER_NAMES = {"master": CHIEF}


def cluster_of(
    jobs: Mapping[str, Any], task_type: str, task_index: int, source: str, variables: Sequence[Tuple[str, str]] = ()
) -> Cluster:
    """Returns the cluster that a source describes, after all checks that need no network.

    Args:
      jobs: job -> addresses "host:port"; the job "master" counts as "chief".
      task_type: the job of this process.
      task_index: its number within the job.
      source: for messages, such as "TF_CONFIG".
      variables: the names and values that were read.

    Raises:
      ClusterError: a contradiction; the message names the source, the task, and what to do.
    """
    checked = _checked_jobs(jobs, source)
    _check_chiefs(checked, jobs, source)
    _check_duplicates(checked, source)
    task = _checked_task(checked, task_type, task_index, source)
    return Cluster(tuple((job, checked[job]) for job in JOBS if job in checked), task, source, tuple(variables))


def _checked_jobs(jobs: Mapping[str, Any], source: str) -> Dict[str, Tuple[str, ...]]:
    checked: Dict[str, Tuple[str, ...]] = {}
    for name, addresses in jobs.items():
        job = _OTHER_NAMES.get(name, name)
        if job not in JOBS:
            raise ClusterError("{} has the job {!r}{}: the jobs of a cluster are {}".format(
                source, name, did_you_mean(name, JOBS), listed(JOBS)
            ))
        if job in checked:
            raise ClusterError(
                "{} has two chiefs: the jobs 'chief' and 'master' are the same one. Keep one of them".format(source)
            )
        if isinstance(addresses, str) or not isinstance(addresses, Sequence):
            raise ClusterError("{}: the addresses of {!r} are {!r}; a list of 'host:port' is needed".format(
                source, name, addresses
            ))
        if addresses:
            checked[job] = tuple(
                str(parse_address(address, "{}: {}:{}".format(source, name, index)))
                for index, address in enumerate(addresses)
            )
    if not any(job in checked for job in (CHIEF, WORKER)):
        raise ClusterError("{} has neither a chief nor a worker: nothing would train".format(source))
    return checked


def _check_chiefs(checked: Mapping[str, Tuple[str, ...]], jobs: Mapping[str, Any], source: str) -> None:
    chiefs = checked.get(CHIEF, ())
    if len(chiefs) > 1:
        raise ClusterError("{} has {} chiefs ({}): a cluster has one. Make the others workers".format(
            source, len(chiefs), listed(chiefs)
        ))


def _check_duplicates(checked: Mapping[str, Tuple[str, ...]], source: str) -> None:
    task_at: Dict[str, Task] = {}
    for job in JOBS:
        for index, address in enumerate(checked.get(job, ())):
            task = Task(job, index)
            if address in task_at:
                raise ClusterError("{}: {} and {} have the same address, {}: give each task its own port".format(
                    source, task_at[address], task, address
                ))
            task_at[address] = task


def _checked_task(checked: Mapping[str, Tuple[str, ...]], task_type: str, task_index: int, source: str) -> Task:
    job = _OTHER_NAMES.get(task_type, task_type)
    if job not in JOBS:
        raise ClusterError("{}: this process is {!r}{}; the jobs of a cluster are {}".format(
            source, "{}:{}".format(task_type, task_index), did_you_mean(str(task_type), JOBS), listed(JOBS)
        ))
    if isinstance(task_index, bool) or not isinstance(task_index, int) or task_index < 0:
        raise ClusterError("{}: the index of this {} is {!r}; a whole number from 0 is needed".format(
            source, task_type, task_index
        ))
    addresses = checked.get(job, ())
    if job == EVALUATOR and not addresses:  # an evaluator has no server, and so needs no address
        return Task(job, task_index)
    if task_index >= len(addresses):
        raise ClusterError(
            "{}: this process is {}:{}, and the cluster has {}{}. Start as many processes as it has tasks, with "
            "indices from 0, or add the missing address".format(
                source, task_type, task_index, counted(len(addresses), job) if addresses else "no " + job,
                " ({})".format(", ".join(addresses)) if addresses else "",
            )
        )
    return Task(job, task_index)


def parse_task(text: str, source: str) -> Tuple[str, int]:
    """Returns the job and index of a task such as "worker:1".

    Raises:
      ClusterError: it has another form.
    """
    job, colon, index = text.partition(":")
    if not job or not colon or not index.isdigit():
        raise ClusterError("{} is {!r}: the job and the index of this process are needed, such as worker:0".format(
            source, text
        ))
    return job, int(index)


def whole_number(environ: Mapping[str, str], name: str) -> int:
    """Returns the whole number that a variable holds.

    Raises:
      ClusterError: it is not set, or is not a whole number of at least 0.
    """
    text = environ.get(name)
    if text is None:
        raise ClusterError("{} is not set, so the number of this process is not known: start each process by the "
                           "launcher, such as srun or mpirun".format(name))
    if not text.strip().isdigit():
        raise ClusterError("{} is {!r}: a whole number from 0 is needed".format(name, text))
    return int(text)


def placed(hosts: Sequence[str], tasks_per_host: Sequence[int], port: int, source: str) -> List[str]:
    """Returns the addresses of tasks that fill hosts one after the other, each with a port of its own.

        hosts a b, tasks 2 1, port 2222  ->  a:2222 a:2223 b:2222

    Raises:
      ClusterError: a port is beyond 65535.
    """
    addresses: List[str] = []
    for host, tasks in zip(hosts, tasks_per_host):
        for local in range(tasks):
            text = ("[{}]:{}" if ":" in host else "{}:{}").format(host, port + local)
            addresses.append(str(parse_address(text, "{}: task {}".format(source, len(addresses)))))
    return addresses


def split_ranks(addresses: Sequence[str], parameter_servers: int, rank: int, source: str) -> Tuple[Any, str, int]:
    """Returns jobs -> addresses, and job and index of a rank: the last ranks are parameter servers.

        4 ranks, 1 parameter server  ->  worker:0 worker:1 worker:2 ps:0

    Raises:
      ClusterError: no rank is left to train, or there is no such rank.
    """
    workers = len(addresses) - parameter_servers
    if parameter_servers < 0 or workers < 1:
        raise ClusterError(
            "{} has {}, and --cluster-ps (parameter_servers) is {}: it must leave a task that trains, and not be "
            "negative".format(source, counted(len(addresses), "task"), parameter_servers)
        )
    if rank >= len(addresses):
        raise ClusterError("{}: this process has rank {}, and the ranks of {} are 0 to {}".format(
            source, rank, counted(len(addresses), "task"), len(addresses) - 1
        ))
    jobs = {WORKER: list(addresses[:workers]), "ps": list(addresses[workers:])}
    return jobs, (WORKER if rank < workers else "ps"), (rank if rank < workers else rank - workers)
