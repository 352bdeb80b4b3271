"""Predicted all-reduces against a ring that is simulated message by message and knows no formula."""
import pytest
from scaling.simulated_links import FAST, NO_COSTS, SLOW, Links, job

from legacy_towers.scaling import all_reduce
from legacy_towers.scaling.links import finish_times
from legacy_towers.scaling.values import Message


def simulated_ring(costs, network, runtime, workers):
    """Returns when the last part of the last all-reduce has arrived, with a call before the first hop of each."""
    links = Links(network)
    hops = 2 * (workers - 1)

    def hop(worker, message, number):
        def send(time):
            links.send(time + runtime.hop_seconds, worker, message.bytes / workers, arrived)

        def arrived(time):
            if number + 1 < hops:
                hop((worker + 1) % workers, message, number + 1)(time)

        return send

    for message in costs.messages:
        for worker in range(workers):
            links.at(message.ready * costs.step_seconds + network.latency, hop(worker, message, 0))
    return links.run()


RUNTIME = NO_COSTS._replace(hop_seconds=3e-4)

# id -> job, network, runtime, how far the prediction may be off: simultaneous all-reduces fill each other's gaps.
RINGS = {
    "bandwidth": (job([4 << 20]), SLOW, NO_COSTS, 1e-6),
    "latency": (job([1000]), FAST._replace(latency=0.01), NO_COSTS, 1e-6),
    "cost of a hop": (job([1 << 20]), SLOW, RUNTIME, 1e-6),
    "one after the other": (job([1 << 20, 1 << 20], [0.1, 1.0], compute=3.0), SLOW, RUNTIME, 1e-6),
    "four at once": (job([1 << 20] * 4), SLOW, RUNTIME, 0.05),
    "while the towers compute": (job([1 << 20] * 4, [0.2, 0.5, 0.7, 1.0], compute=0.4), SLOW, RUNTIME, 0.05),
    "four at once over latency": (job([1 << 20] * 4), SLOW._replace(latency=0.02), NO_COSTS, 0.1),
    "one of two ready first, over latency": (
        job([1 << 20] * 2, [0.5, 1.0], compute=0.4), SLOW._replace(latency=0.05), NO_COSTS, 0.1,
    ),
    "small ones at once": (job([20000] * 4), SLOW, RUNTIME, 0.15),
}


@pytest.mark.parametrize("workers", [2, 3, 8])
@pytest.mark.parametrize("case", sorted(RINGS))
def test_all_reduce_ends_when_the_simulated_ring_does(case, workers):
    costs, network, runtime, off = RINGS[case]
    predicted = all_reduce.predict(costs, network, runtime, workers)
    assert predicted.step_seconds == pytest.approx(simulated_ring(costs, network, runtime, workers), rel=off)
    each = sum(message.bytes for message in costs.messages)
    assert predicted.sent_bytes == pytest.approx(2 * (workers - 1) / workers * each)


@pytest.mark.parametrize("workers, version, sent, hops", [
    (2, "2.21.0", 1 << 10, 1), (3, "2.21.0", 2 << 10, 2), (3, "1.15.5", 4 << 10, 4),
    (4, "2.21.0", 2 * 3 / 4 * (1 << 20), 6),  # more rows than the variable has: its dense gradient
])
def test_sparse_rows_are_gathered_until_they_are_more_than_the_variable_has(workers, version, sent, hops):
    costs = job([])._replace(messages=[Message(1 << 20, 1.0, sparse_bytes=1 << 10, most_workers=3)])
    found = all_reduce.predict(costs, SLOW, NO_COSTS._replace(tensorflow=version), workers)
    assert found.sent_bytes == sent
    assert found.step_seconds == pytest.approx(0.1 + sent / SLOW.bandwidth + (hops + 1) * SLOW.latency)


def ring(starts, parts, passes, latency):
    """Returns when each worker has all parts; those of the next worker wait for its call, made when it starts."""
    workers, ends = len(starts), list(starts)
    for part in range(parts):
        here, at = part, starts[part]
        for _ in range(passes * (workers - 1)):
            following = (here + 1) % workers
            at = max(starts[following] + latency, at, starts[here]) + latency
            ends[following] = max(ends[following], at)
            here = following
    return ends


@pytest.mark.parametrize("version, passes", [("2.21.0", 1), ("1.15.5", 2)])
@pytest.mark.parametrize("workers", [2, 3, 4, 8])
def test_latency_of_sparse_rows_is_that_of_simulated_steps(workers, version, passes):
    # An all-reduce of the numbers of rows, which are one part, and then the rows of each worker; step after step.
    starts = [0.0] * workers
    for _ in range(100):
        starts = ring(ring(starts, 1, 2, 0.01), workers, passes, 0.01)
    costs = job([], compute=0.0)._replace(messages=[Message(1 << 20, 1.0, sparse_bytes=4, most_workers=8)])
    network, runtime = FAST._replace(latency=0.01), NO_COSTS._replace(tensorflow=version)
    found = all_reduce.predict(costs, network, runtime, workers)
    assert found.step_seconds == pytest.approx(starts[0] / 100, rel=0.06 if workers < 4 else 0.2)
    assert found.parts["latency"] == pytest.approx(found.step_seconds, rel=1e-5)


def test_sparse_rows_wait_for_the_all_reduce_of_their_numbers():
    network = SLOW._replace(latency=0.01)
    costs = job([], compute=0.001)._replace(messages=[Message(1 << 20, 1.0, sparse_bytes=1 << 10, most_workers=3)])
    found = all_reduce.predict(costs, network, RUNTIME, 3)
    # 4 hops for the numbers, 2 hops and a call for the rows.
    expected = 4 * 0.01 + 3 * 0.01 + (4 + 2) * RUNTIME.hop_seconds + 2 * (1 << 10) / network.bandwidth
    assert found.step_seconds == pytest.approx(expected)
    # They are exchanged while the towers compute.
    slow = all_reduce.predict(costs._replace(step_seconds=1.0), network, RUNTIME, 3)
    assert slow.step_seconds == pytest.approx(1.0 + expected - 4 * 0.01 - 4 * RUNTIME.hop_seconds)


def test_rows_of_late_workers_wait_for_a_part_of_a_dense_gradient():
    # Over 2 workers, two hops of half of 100 kB at 10 MB/s, and one of 200 kB: 30 ms, and 5 ms for a part.
    messages = [Message(100000, 1.0), Message(1 << 20, 1.0, sparse_bytes=200000, most_workers=3)]
    network = SLOW._replace(latency=0.0)
    costs = job([], compute=0.01)._replace(messages=messages)
    assert all_reduce.predict(costs, network, NO_COSTS, 2).step_seconds == pytest.approx(0.01 + 0.03 + 0.005)
    # Nothing is on the link when the rows are ready.
    messages[0] = Message(100000, 0.0)
    assert all_reduce.predict(costs, network, NO_COSTS, 2).step_seconds == pytest.approx(0.01 + 0.02)


def test_fewer_cores_than_threads_lengthen_the_computation():
    costs = job([100], compute=0.1, cpu=0.4)
    assert all_reduce.predict(costs, FAST._replace(cores=2), NO_COSTS, 1).step_seconds == pytest.approx(0.2)
    assert all_reduce.predict(costs, FAST._replace(cores=8), NO_COSTS, 1).step_seconds == pytest.approx(0.1)


def test_updates_follow_the_last_gradient():
    costs = job([1 << 20], compute=0.1, update=0.02)
    late = all_reduce.predict(costs, SLOW, NO_COSTS, 2).step_seconds
    assert late == pytest.approx(0.08 + (1 << 20) / 10e6 + 3e-4 + 0.02)


def test_finish_times_of_a_link():
    assert finish_times([(0, 4), (1, 2), (7, 2)]) == [4, 6, 9]
    assert finish_times([]) == []
