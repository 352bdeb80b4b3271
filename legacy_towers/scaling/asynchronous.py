"""Predicts asynchronous training by parameter servers."""
from typing import Sequence

from legacy_towers.scaling.placement import ServerLoad
from legacy_towers.scaling.queues import throughput
from legacy_towers.scaling.values import (
    COMPUTE,
    LATENCY,
    LOCK,
    SERVER_CPU,
    SERVER_LINK,
    WORKER_CPU,
    WORKER_LINK,
    JobCosts,
    Network,
    Prediction,
    RuntimeCosts,
)


def predict(
    job: JobCosts, network: Network, runtime: RuntimeCosts, workers: int, strategy: str, loads: Sequence[ServerLoad]
) -> Prediction:
    """Predicts towers that each read, compute and apply their own gradients, without waiting for each other.

    The towers are the customers of a closed network of queues, whose throughput `queues.throughput` computes. A round
    is the reading of the variables, the computation, and the update. For each server, its link is a station in each
    direction, and so are its cores; the lock is one, since updates are applied one at a time: over several servers it
    is held for two more latencies. All else is time without waiting: computation, latencies (as of a synchronous
    step), the CPU time of the worker, and its own link where that is slower than what a server's link needs. The
    links and cores of a worker are shared by its towers, which bounds the result.
    """
    compute = max(job.step_seconds, job.cpu_seconds / network.cores)
    # A tower sends its own gradients; a worker's towers together what their batches use.
    read, sent = (sum(values) for values in zip(*[(each.read_bytes, each.sent_bytes) for each in loads]))
    count = sum(len(each.variables) for each in loads)
    fixed = runtime.asynchronous_step_seconds + (4 + 2 * (len(loads) > 1)) * network.latency
    worker_cpu = (read + sent) * runtime.worker_byte_seconds + count * runtime.worker_variable_seconds
    server_cpu = [
        (each.read_bytes + each.sent_bytes) * runtime.server_byte_seconds
        + len(each.variables) * runtime.server_variable_seconds for each in loads
    ]
    towers = workers * job.towers
    lock = job.update_seconds + (2 * network.latency if len(loads) > 1 else 0.0)
    out, into = ([size / network.bandwidth for size in sizes] for sizes in (
        [each.read_bytes for each in loads], [each.sent_bytes for each in loads]
    ))
    # The parts from all servers come at the same time: a round waits for the largest. What is more than the towers' own
    # links let through takes longer.
    own_link = (read + sent) / network.bandwidth - max(out) - max(into)
    think = compute - job.update_seconds + fixed + worker_cpu + own_link
    stations = [max(out), max(into), max(server_cpu) / network.cores, lock]
    # One core works for one update.
    think += max(server_cpu) * (1 - min(1.0, 1 / network.cores))
    rate = throughput(towers, stations, think)
    of_workers = [max(read, sent) / network.bandwidth / workers, worker_cpu / network.cores / workers]
    between = max([1 / rate] + of_workers)
    # Seconds of a round, if each part were the only limit.
    parts = {
        COMPUTE: compute, LATENCY: fixed, WORKER_LINK: max((read + sent) / network.bandwidth, of_workers[0] * towers),
        WORKER_CPU: max(worker_cpu, of_workers[1] * towers), SERVER_LINK: max(out + into) * towers,
        SERVER_CPU: max(server_cpu) * max(1.0, towers / network.cores), LOCK: lock * towers,
    }
    if parts[SERVER_LINK] < parts[WORKER_LINK]:
        del parts[SERVER_LINK]
    return Prediction(
        strategy, workers, len(loads), between * towers, job.examples / job.towers / between,
        float(job.towers * sent), float(job.towers * read), parts,
    )
