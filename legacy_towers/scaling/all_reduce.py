"""Predicts `variables="replicated"`: within each worker first, then all-reduces in a ring over the workers."""
from typing import Tuple

from legacy_towers.scaling.links import finish_times
from legacy_towers.scaling.values import (
    COMPUTE,
    LATENCY,
    RUNTIME,
    WORKER_CPU,
    WORKER_LINK,
    JobCosts,
    Message,
    Network,
    Prediction,
    RuntimeCosts,
    compute_seconds,
)

STRATEGY = "replicated"


def predict(job: JobCosts, network: Network, runtime: RuntimeCosts, workers: int) -> Prediction:
    """Predicts a step of `workers` workers that exchange gradients by TensorFlow's ring all-reduce.

        3 workers, a gradient of 3 parts A B C        hops 1, 2: sums       hops 3, 4: results
        worker 0 -> 1 -> 2 -> 0                       A -> B ->             C -> A ->
        each hop carries a third of the gradient      B -> C -> ...         each worker sends 4 thirds

    The model is that of P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
    workstations", 2009: over w workers, a tensor of S bytes takes h = 2 (w - 1) hops of S / w bytes, each of which
    starts when the one before it has arrived:

        h * latency + h * S / (w * bandwidth)

    What TensorFlow does (common_runtime/ring_reducer.cc and ring_alg.cc, 1.15 and 2.x): one part per worker and
    ring; large tensors have several rings, which share the link; the receiver of a part asks for it by a call of
    RecvBuf, and all calls of the first pass are made when the operation starts, so that a part pays one way of the
    latency, and only the first one the way of the call too: h + 1 latencies. Each hop costs the runtime
    `hop_seconds`, and each byte its serialization and copies on both sides, `ring_byte_seconds`, which precede and
    follow its time on the link. Several gradients are reduced at the same time: they share the link, one after the
    other in the order in which they get ready, while the towers compute the others; the latencies of one are hidden
    by the others' time on the link, but for the call and the last way. The step ends when the last gradient has
    arrived, and is applied:

        step = max(compute, last arrival + update, CPU time / cores)

    Sparse gradients (`gradients/slices_over_workers.py`): every worker's rows go through the ring as they are, in w - 1
    hops; TensorFlow 1.15 all-reduces a tensor with a place for each worker's rows. Where the rows of all workers would
    be more than the variable has, the dense gradient is all-reduced. Before either, an all-reduce of the numbers of
    rows, which starts with the step, has to end. Some workers then begin later than others, and wait for as long as the
    link needs for a part of another message.
    """
    compute = compute_seconds(job, network)
    if workers == 1:
        parts = {COMPUTE: compute}
        return Prediction(STRATEGY, 1, 0, compute, job.examples / compute, 0.0, 0.0, parts)
    gradients_at = compute - job.update_seconds
    # The numbers of sparse rows: hops of an all-reduce of one part, which a worker asks for before it is there. In
    # TensorFlow 1.15, the all-reduce that follows makes some workers late, and the call counts.
    small = 2 * (workers - 1) if any(message.sparse_bytes for message in job.messages) else 0
    small_latency = (small + (small > 0 and runtime.is_tensorflow_1)) * network.latency
    small_runtime = small * runtime.hop_seconds
    ordered = sorted([
        (max(each.ready * gradients_at, small_latency + small_runtime if each.sparse_bytes else 0.0), each)
        for each in job.messages
    ], key=lambda pair: pair[0])
    begin = [ready for ready, _ in ordered]
    exchanges = [_exchange(each, workers, runtime) for _, each in ordered]
    sizes = [size for _, size in exchanges]
    sent = finish_times([(ready, size / network.bandwidth) for ready, size in zip(begin, sizes)])
    if small and len(sent) > 1:
        # The workers do not begin to exchange rows at the same time. A call of one that is late waits on its link
        # behind a part of another message, and the worker that it asks sends nothing meanwhile.
        part = max(size / hops for hops, size in exchanges[:-1]) / network.bandwidth
        sent[-1] += min(part, max(0.0, sent[-2] - begin[-1]))
    # While a part of a message is on its way, the link sends parts of others: that hides all latencies but two, unless
    # the message needs longer by itself.
    alone = [
        ready + size / network.bandwidth + (hops - 1) * network.latency
        for ready, (hops, size) in zip(begin, exchanges)
    ]
    arrivals = [
        max(last_part_sent, last_part_alone) + 2 * network.latency + hops * runtime.hop_seconds
        + size * runtime.ring_byte_seconds
        for last_part_sent, last_part_alone, (hops, size) in zip(sent, alone, exchanges)
    ]
    count = sum(hops for hops, _ in exchanges) + small
    cpu = sum(sizes) * runtime.ring_byte_seconds + count * runtime.hop_cpu_seconds
    busy = (job.cpu_seconds + cpu) / network.cores
    seconds = max([compute, busy] + [each + job.update_seconds for each in arrivals])
    parts = {
        COMPUTE: compute, WORKER_LINK: sum(sizes) / network.bandwidth,
        LATENCY: max(hops + 1 for hops, _ in exchanges) * network.latency + small_latency,
        RUNTIME: max(hops for hops, _ in exchanges) * runtime.hop_seconds + small_runtime,
        WORKER_CPU: max(cpu / network.cores, max(sizes) * runtime.ring_byte_seconds),
    }
    return Prediction(
        STRATEGY, workers, 0, seconds, workers * job.examples / seconds, float(sum(sizes)), float(sum(sizes)), parts
    )


def _exchange(message: Message, workers: int, runtime: RuntimeCosts) -> Tuple[int, float]:
    """Returns the hops of a message, and the bytes that a worker sends in all of them."""
    hops = 2 * (workers - 1)
    if not message.sparse_bytes or workers > message.most_workers:
        return hops, hops * message.bytes / workers
    if runtime.is_tensorflow_1:
        return hops, float(hops * message.sparse_bytes)
    return workers - 1, float((workers - 1) * message.sparse_bytes)
