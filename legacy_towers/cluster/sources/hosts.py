"""Explicit lists of hosts: `--cluster "worker=h1:2222,h2:2222;ps=h3:2222" --task worker:0`."""
from typing import Dict, List, Mapping

from legacy_towers.cluster.sources.registry import Options, source
from legacy_towers.cluster.validation import cluster_of, parse_task
from legacy_towers.cluster.value import Cluster
from legacy_towers.errors import ClusterError

NAME = "--cluster"


@source(0, NAME, "--cluster JOB=HOST:PORT,... --task JOB:INDEX", lambda environ, options: options.hosts is not None)
def read(environ: Mapping[str, str], options: Options) -> Cluster:
    """Returns the cluster of explicit lists.

    Raises:
      ClusterError: they can't be read, there is no task, or they contradict each other.
    """
    assert options.hosts is not None
    jobs = parse_hosts(options.hosts)
    if options.task is None:
        raise ClusterError("{} {!r} needs --task, the job and the index of this process, such as worker:0".format(
            NAME, options.hosts
        ))
    job, index = parse_task(options.task, "--task")
    return cluster_of(jobs, job, index, NAME, [(NAME, options.hosts), ("--task", options.task)])


def parse_hosts(text: str) -> Dict[str, List[str]]:
    """Returns job -> addresses of a list such as "worker=h1:2222,h2:2222;ps=h3:2222".

    Raises:
      ClusterError: it has another form, or names a job twice.
    """
    jobs: Dict[str, List[str]] = {}
    for part in filter(None, (each.strip() for each in text.split(";"))):
        job, equals, addresses = part.partition("=")
        if not equals:
            raise ClusterError("{} has {!r}: write each job as in worker=host1:2222,host2:2222 and separate jobs by "
                               "';'".format(NAME, part))
        if job.strip() in jobs:
            raise ClusterError("{} names the job {!r} twice: write all its addresses in one list".format(
                NAME, job.strip()
            ))
        jobs[job.strip()] = [each.strip() for each in addresses.split(",") if each.strip()]
    return jobs
