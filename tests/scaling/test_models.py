"""Predicted steps against simulations, message by message, that know no formula; and limits of each part."""
import heapq
import itertools

import numpy as np
import pytest

from legacy_towers.scaling import all_reduce, asynchronous, parameter_servers
from legacy_towers.scaling.links import finish_times
from legacy_towers.scaling.placement import ServerLoad, on_servers
from legacy_towers.scaling.queues import throughput
from legacy_towers.scaling.values import JobCosts, Message, Network, RuntimeCosts, VariableCosts

NO_COSTS = RuntimeCosts(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "2.21.0")


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def job(sizes, ready=None, compute=0.1, update=0.0, cpu=0.0, towers=1):
    ready = ready or [1.0] * len(sizes)
    variables = [
        VariableCosts("v{}".format(number), size, size, size, when)
        for number, (size, when) in enumerate(zip(sizes, ready))
    ]
    return JobCosts(towers, 32 * towers, compute, update, cpu, variables, [
        Message(size, when) for size, when in zip(sizes, ready)
    ])


class Links:
    """One outgoing link per machine, which sends what is given to it in the order in which it was given."""

    def __init__(self, network):
        self.network = network
        self.free = {}
        self.events = []
        self._number = itertools.count()

    def at(self, time, action):
        heapq.heappush(self.events, (time, next(self._number), action))

    def send(self, time, machine, size, arrived):
        free = max(time, self.free.get(machine, 0.0)) + size / self.network.bandwidth
        self.free[machine] = free
        self.at(free + self.network.latency, arrived)

    def run(self):
        last = 0.0
        while self.events:
            last, _, action = heapq.heappop(self.events)
            action(last)
        return last


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


TURNS = 100  # in which messages that share a link are sent
SLOW, FAST = Network(10e6, 1e-4, 1e9), Network(3e9, 5e-5, 1e9)
RUNTIME = NO_COSTS._replace(hop_seconds=3e-4)

# id -> job, network, runtime, how far the prediction may be off: simultaneous all-reduces fill each other's gaps.
RINGS = {
    "bandwidth": (job([4 << 20]), SLOW, NO_COSTS, 1e-6),
    "latency": (job([1000]), FAST._replace(latency=0.01), NO_COSTS, 1e-6),
    "cost of a hop": (job([1 << 20]), SLOW, RUNTIME, 1e-6),
    "one after the other": (job([1 << 20, 1 << 20], [0.1, 1.0], compute=3.0), SLOW, RUNTIME, 1e-6),
    "four at once": (job([1 << 20] * 4), SLOW, RUNTIME, 0.05),
    "while the towers compute": (job([1 << 20] * 4, [0.2, 0.5, 0.7, 1.0], compute=0.4), SLOW, RUNTIME, 0.05),
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


def simulated_servers(costs, network, workers, loads):
    """Returns when the workers know that all is updated; links are shared by turns, as by connections of TCP."""
    links, missing = Links(network), dict.fromkeys(range(workers), len(loads) * TURNS)

    def read(worker):
        def arrived(time):
            missing[worker] -= 1
            if missing[worker]:
                return
            for number, load in enumerate(loads):
                for variable in load.variables:
                    ready = time + variable.ready * costs.step_seconds
                    for _ in range(TURNS):
                        links.at(ready, pushed(number, variable.sent_bytes / TURNS))
        return arrived

    def pushed(number, size):
        return lambda time: links.send(time, ("in", number), size, lambda later: None)

    def asked(number, worker):
        return lambda time: links.send(time, ("out", number), loads[number].read_bytes / TURNS, read(worker))

    for _ in range(TURNS):
        for worker in range(workers):
            for number in range(len(loads)):
                links.at(network.latency, asked(number, worker))
    # The losses go to the chief and back; the servers hear of each other's sums, and the counter of the updates; then
    # the workers do.
    return links.run() + network.latency * (3 if len(loads) == 1 else 5)


@pytest.mark.parametrize("workers, servers", [(2, 1), (8, 1), (8, 2)])
def test_parameter_servers_end_when_the_simulated_ones_do(workers, servers):
    costs = job([1 << 20] * 4, compute=0.05)
    loads = on_servers(costs.variables, servers)
    predicted = parameter_servers.predict(costs, SLOW, NO_COSTS, workers, "balanced", loads)
    simulated = simulated_servers(costs, SLOW, workers, loads)
    assert predicted.step_seconds == pytest.approx(simulated, rel=0.02)
    assert (predicted.sent_bytes, predicted.received_bytes) == (4 << 20, 4 << 20)


# (what is changed, what the step is limited by)
LIMITS = [
    (dict(network=SLOW._replace(bandwidth=1e6)), "bandwidth of a parameter server"),
    (dict(network=FAST._replace(latency=1.0)), "latency"),
    (dict(costs=job([100], compute=5.0)), "compute"),
    (dict(runtime=NO_COSTS._replace(server_byte_seconds=1e-6)), "CPU of a parameter server"),
    (dict(runtime=NO_COSTS._replace(worker_byte_seconds=1e-6)), "CPU of a worker"),
]


@pytest.mark.parametrize("changed, limit", LIMITS, ids=[limit for _, limit in LIMITS])
@pytest.mark.parametrize("model", [parameter_servers, asynchronous])
def test_predictions_over_servers_name_what_limits_them(changed, limit, model):
    values = dict(dict(costs=job([1 << 20], compute=1e-3), network=FAST._replace(cores=2), runtime=NO_COSTS), **changed)
    costs = values.pop("costs")
    loads = on_servers(costs.variables, 1)
    found = model.predict(costs, values["network"], values["runtime"], 4, "parameter_server", loads)
    assert found.limited_by == limit


def test_asynchronous_rate_grows_with_the_workers_until_a_link_is_full():
    costs = job([1 << 20], compute=0.5)
    loads = on_servers(costs.variables, 1)
    rates = [
        asynchronous.predict(costs, SLOW, NO_COSTS, workers, "asynchronous", loads).examples_per_second
        for workers in (1, 2, 256, 512)
    ]
    full = 32 * SLOW.bandwidth / (1 << 20)
    assert rates[0] == pytest.approx(32 / (0.5 + 2 * (1 << 20) / SLOW.bandwidth + 4 * SLOW.latency))
    assert rates[1] == pytest.approx(2 * rates[0], rel=0.05)
    assert 0.95 * full < rates[2] < rates[3] < full


def simulated_queues(customers, demands, think, rounds, seed=0):
    """Returns the rounds per second of customers whose times of service are drawn from exponential distributions."""
    random = np.random.RandomState(seed)
    free = [0.0] * len(demands)
    events = [(random.exponential(think), number, 0) for number in range(customers)]
    heapq.heapify(events)
    done = now = 0
    while done < rounds:
        now, customer, station = heapq.heappop(events)
        if station == len(demands):
            done += 1
            heapq.heappush(events, (now + random.exponential(think), customer, 0))
            continue
        # The first who comes is served first: later ones have later events.
        free[station] = max(free[station], now) + random.exponential(demands[station])
        heapq.heappush(events, (free[station], customer, station + 1))
    return done / now


@pytest.mark.parametrize("customers, demands, think", [
    (1, [0.3, 0.2], 0.5), (4, [0.3, 0.3], 0.01), (8, [0.1, 0.3, 0.05], 2.0),
])
def test_throughput_is_that_of_simulated_queues(customers, demands, think):
    found = throughput(customers, demands, think)
    assert found == pytest.approx(simulated_queues(customers, demands, think, 20000), rel=0.03)
    assert found <= min(customers / (sum(demands) + think), 1 / max(demands)) + 1e-9


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


def test_variables_go_to_the_server_with_the_fewest_bytes():
    variables = job([40, 10, 20, 5]).variables
    assert [[each.name for each in load.variables] for load in on_servers(variables, 2)] == [["v0"], ["v1", "v2", "v3"]]
    parts = on_servers(variables, 2, max_part_bytes=20)
    assert [(each.read_bytes, each.sent_bytes) for each in parts] == [(35, 35), (40, 40)]
    assert on_servers([], 1) == [ServerLoad([], 0, 0)]
