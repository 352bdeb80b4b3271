"""Predicts asynchronous training by parameter servers."""
from typing import Sequence

from legacy_towers.scaling.placement import ServerLoad, has_lookups
from legacy_towers.scaling.queues import throughput, throughput_bounds
from legacy_towers.scaling.values import (
    COMPUTE,
    LATENCY,
    LOCK,
    RUNTIME,
    SERVER_CPU,
    SERVER_LINK,
    WORKER_CPU,
    WORKER_LINK,
    JobCosts,
    Network,
    Prediction,
    RuntimeCosts,
    compute_seconds,
)

# Ways over the network of a round, one after the other: the call for the variables, their values, the gradients and the
# end of the run. Two more where a server asks another task before it reads: a worker for the indices of a lookup, or
# the server that has the step counter. With several servers, while the lock is held one waits for the others' updates,
# and for the end. tests/scaling/test_latencies.py counts them in the graph.
_FREE_LATENCIES, _MORE_TO_ASK, _LOCKED_FOR_SEVERAL = 4, 2, 2


def predict(
    job: JobCosts, network: Network, runtime: RuntimeCosts, workers: int, strategy: str, loads: Sequence[ServerLoad]
) -> Prediction:
    """Predicts towers that each read, compute and apply their own gradients, without waiting for each other.

    The towers are the customers of a closed network of queues, whose throughput `queues.throughput` computes. A round
    is the reading of the variables, the computation, and the update. For each server, its link is a station in each
    direction, and so are its cores; the lock is one, since updates are applied one at a time: it is held for the
    update and for `locked_latencies` ways over the network. All else is time without waiting: computation, the
    other ways, the CPU time of the worker, and its own link where that is slower than what a server's link needs.
    The links and cores of a worker are shared by its towers, which bounds the result.

    That is the mean over all ways in which the rounds can overlap, which one run has in the long run only: workers that
    all read at the same time, and all send at the same time, can do so for hundreds of rounds, and so can workers of
    which one reads while another one sends. `examples_per_second_range` has both ends.
    """
    compute = compute_seconds(job, network)
    sent_to = [each.index_bytes + each.tower_sent_bytes for each in loads]
    read, sent = sum(each.read_bytes for each in loads), sum(sent_to)
    count = sum(len(each.variables) for each in loads)
    fixed = runtime.asynchronous_step_seconds + free_latencies(loads) * network.latency
    worker_cpu = runtime.worker_seconds(read + sent, count)
    server_cpu = [
        runtime.server_seconds(each.read_bytes + size, len(each.variables)) for each, size in zip(loads, sent_to)
    ]
    towers = workers * job.towers
    lock = job.update_seconds + locked_latencies(loads) * network.latency
    out, into = ([size / network.bandwidth for size in sizes] for sizes in (
        [each.read_bytes for each in loads], sent_to
    ))
    # The parts from all servers come at the same time: a round waits for the largest. What is more than the towers' own
    # links let through takes longer.
    own_link = (read + sent) / network.bandwidth - max(out) - max(into)
    think = compute - job.update_seconds + fixed + worker_cpu + own_link
    stations = [max(out), max(into), max(server_cpu) / network.cores, lock]
    # One core works for one update.
    think += max(server_cpu) * (1 - min(1.0, 1 / network.cores))
    of_workers = [max(read, sent) / network.bandwidth / workers, worker_cpu / network.cores / workers]
    between, longest, shortest = (
        max([1 / rate] + of_workers)
        for rate in (throughput(towers, stations, think),) + throughput_bounds(towers, stations, think)
    )
    examples = job.examples / job.towers
    # Seconds of a round, if each part were the only limit.
    parts = {
        COMPUTE: compute, LATENCY: free_latencies(loads) * network.latency,
        RUNTIME: runtime.asynchronous_step_seconds,
        WORKER_LINK: max((read + sent) / network.bandwidth, of_workers[0] * towers),
        WORKER_CPU: max(worker_cpu, of_workers[1] * towers), SERVER_LINK: max(out + into) * towers,
        SERVER_CPU: max(server_cpu) * max(1.0, towers / network.cores), LOCK: lock * towers,
    }
    if parts[SERVER_LINK] < parts[WORKER_LINK]:
        del parts[SERVER_LINK]
    return Prediction(
        strategy, workers, len(loads), between * towers, examples / between,
        float(job.towers * sent), float(job.towers * read), parts, (examples / longest, examples / shortest),
    )


def locked_latencies(loads: Sequence[ServerLoad]) -> int:
    """Returns how many ways over the network follow each other while an update holds the lock."""
    return _LOCKED_FOR_SEVERAL if len(loads) > 1 else 0


def free_latencies(loads: Sequence[ServerLoad]) -> int:
    """Returns how many ways over the network follow each other before and after the lock is held."""
    return _FREE_LATENCIES + (_MORE_TO_ASK if len(loads) > 1 or has_lookups(loads) else 0)
