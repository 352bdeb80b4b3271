"""Predicts synchronous training by parameter servers."""
from typing import Sequence

from legacy_towers.scaling.links import finish_times
from legacy_towers.scaling.placement import ServerLoad, has_lookups
from legacy_towers.scaling.values import (
    COMPUTE,
    LATENCY,
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

# Ways over the network of a step, one after the other: the call for the variables and their values, the gradients, the
# losses to the chief and back, the end of the run. Two more for lookups, where the server asks for the indices first.
# Over several servers two more: each waits for the sums of all, and the step counter for the updates of all.
# tests/scaling/test_latencies.py counts them in the graph.
LATENCIES, MORE_FOR_LOOKUPS, MORE_FOR_SEVERAL = 6, 2, 2


def predict(
    job: JobCosts, network: Network, runtime: RuntimeCosts, workers: int, strategy: str, loads: Sequence[ServerLoad]
) -> Prediction:
    """Predicts a step in which the workers read the variables, compute, and send their gradients to be summed.

        worker 0   | read | compute ... | push ->                      | -> next step
        worker 1   | read | compute ...   | push ->                    |
        server     |<---->|                      <----> sum, update -->|

    The method is that of M. Li and others, "Scaling distributed machine learning with the parameter server", 2014. All
    workers read and push at the same time, so that the link of a server carries w times what one worker reads. A
    transfer takes what the slower of the two links needs:

        read = max(t * R / bandwidth, w * t * R_k / bandwidth)    R bytes of variables, R_k of them on server k
        push = the same with the gradients G, G_k; a gradient is sent when it is computed

    A table that is looked up in is not read as a whole: a tower sends its indices, and reads a row for each.

    `latencies` ways over the network follow each other. What TensorFlow's runtime needs is measured: `step_seconds` for
    a step, and CPU time for each variable and byte, on both sides. A server serves all workers with its cores.

    Args:
      strategy: its name, such as "balanced".
      loads: what each server has of the variables.
    """
    compute = compute_seconds(job, network)
    gradients_at = compute - job.update_seconds
    read = job.towers * sum(each.read_bytes for each in loads)
    sent = sum(_into(job, each) for each in loads)
    count = sum(len(each.variables) for each in loads)
    # The indices of lookups, and then what is read.
    read_link = job.towers / network.bandwidth * sum(
        max([sum(sizes)] + [workers * each for each in sizes])
        for sizes in ([each.index_bytes for each in loads], [each.read_bytes for each in loads])
    )
    pushed = _pushed(network, workers, loads, gradients_at)
    fixed = runtime.step_seconds + latencies(loads) * network.latency
    worker_cpu = runtime.worker_seconds(read + sent, count)
    chain = worker_cpu + runtime.server_seconds(read + sent, count)
    server_cpu = max(
        workers * runtime.server_seconds(job.towers * each.read_bytes + _into(job, each), len(each.variables))
        / network.cores for each in loads
    )
    seconds = fixed + read_link + max(gradients_at, pushed) + max(chain, server_cpu) + job.update_seconds
    parts = {
        COMPUTE: compute, WORKER_LINK: (read + sent) / network.bandwidth, WORKER_CPU: worker_cpu,
        LATENCY: latencies(loads) * network.latency, RUNTIME: runtime.step_seconds,
        SERVER_LINK: max(
            workers * (job.towers * each.read_bytes + _into(job, each)) / network.bandwidth for each in loads
        ),
        SERVER_CPU: server_cpu,
    }
    # With one worker, or as many servers, both links are as full.
    if parts[SERVER_LINK] <= parts[WORKER_LINK]:
        del parts[SERVER_LINK]
    return Prediction(
        strategy, workers, len(loads), seconds, workers * job.examples / seconds, float(sent), float(read), parts
    )


def _pushed(network: Network, workers: int, loads: Sequence[ServerLoad], gradients_at: float) -> float:
    """Returns when the last gradient has been sent, measured from the start of the computation."""
    everything = []
    last = 0.0
    for load in loads:
        ordered = sorted(load.variables, key=lambda each: each.ready)
        everything += ordered
        times = finish_times([
            (each.ready * gradients_at, workers * each.sent_bytes / network.bandwidth) for each in ordered
        ])
        last = max([last] + times)
    own = finish_times([
        (each.ready * gradients_at, each.sent_bytes / network.bandwidth)
        for each in sorted(everything, key=lambda each: each.ready)
    ])
    return max([last] + own)


def _into(job: JobCosts, load: ServerLoad) -> float:
    """Returns what a worker sends to a server: the indices of its towers, and its gradients."""
    return job.towers * load.index_bytes + load.sent_bytes


def latencies(loads: Sequence[ServerLoad]) -> int:
    """Returns how many ways over the network follow each other in a step."""
    return (
        LATENCIES + (MORE_FOR_LOOKUPS if has_lookups(loads) else 0) + (MORE_FOR_SEVERAL if len(loads) > 1 else 0)
    )
