"""Predicts asynchronous training by parameter servers."""
from typing import Sequence

from legacy_towers.scaling.placement import ServerLoad
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

    A closed queueing network, whose throughput is bounded by each of its servers and by the cycle of one customer
    (J. D. C. Little, "A proof for the queuing formula L = lambda W", 1961; P. J. Denning and J. P. Buzen, "The
    operational analysis of queueing network models", 1978, the asymptotic bounds):

        updates per second <= towers / cycle                 a tower reads, computes, sends, and begins again
                           <= bandwidth / R_k, / G_k         the link of each server k, in each direction
                           <= workers * bandwidth / R, / G   the links of the workers
                           <= cores / CPU time of an update  each server
                           <= 1 / the time of the lock       updates are applied one at a time

    Latencies of a cycle: as of a synchronous step. The lock is held while an update is applied, over several servers
    for two more latencies.
    """
    compute = max(job.step_seconds, job.cpu_seconds / network.cores)
    # A tower sends its own gradients; a worker's towers together what their batches use.
    read, sent = (sum(values) for values in zip(*[(each.read_bytes, each.sent_bytes) for each in loads]))
    count = sum(len(each.variables) for each in loads)
    fixed = runtime.asynchronous_step_seconds + (4 + 2 * (len(loads) > 1)) * network.latency
    worker_cpu = (read + sent) * runtime.worker_byte_seconds + count * runtime.worker_variable_seconds
    server_cpu = max(
        (each.read_bytes + each.sent_bytes) * runtime.server_byte_seconds
        + len(each.variables) * runtime.server_variable_seconds for each in loads
    )
    cycle = compute + fixed + (read + sent) / network.bandwidth + worker_cpu + server_cpu
    towers = workers * job.towers
    lock = job.update_seconds + (2 * network.latency if len(loads) > 1 else 0.0)
    # Seconds between two updates, by what bounds it.
    parts = {
        COMPUTE: compute / towers, LATENCY: fixed / towers,
        WORKER_LINK: max(read, sent) / network.bandwidth / workers,
        WORKER_CPU: worker_cpu / network.cores / workers,
        SERVER_LINK: max(max(each.read_bytes, each.sent_bytes) for each in loads) / network.bandwidth,
        SERVER_CPU: server_cpu / network.cores, LOCK: lock,
    }
    between = max([cycle / towers] + [seconds for name, seconds in parts.items() if name not in (COMPUTE, LATENCY)])
    if workers == 1:  # both links are as full
        del parts[SERVER_LINK]
    return Prediction(
        strategy, workers, len(loads), between * towers, job.examples / job.towers / between,
        float(job.towers * sent), float(job.towers * read), {name: towers * each for name, each in parts.items()},
    )
