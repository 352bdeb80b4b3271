"""Predicted steps over parameter servers against simulated ones, and what limits them."""
import heapq

import numpy as np
import pytest
from scaling.simulated_links import FAST, NO_COSTS, SLOW, Links, job

from legacy_towers.scaling import asynchronous, parameter_servers
from legacy_towers.scaling.placement import on_servers
from legacy_towers.scaling.values import VariableCosts

TURNS = 100  # in which messages that share a link are sent


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
    # The losses go to the chief and back; the servers receive each other's sums, and the counter the end of the
    # updates; then the workers receive it.
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


@pytest.mark.parametrize("model, strategy", [(parameter_servers, "parameter_server"), (asynchronous, "asynchronous")])
def test_lookups_send_indices_and_read_a_row_for_each(model, strategy):
    # 2 towers that each look 1,000 rows of 400 bytes up, 500 different ones over both.
    table = VariableCosts("table", 1 << 30, 400e3, 500 * 408.0, 408e3, 1.0, rows=500, index_bytes=8e3)
    costs = job([], compute=0.05, towers=2)._replace(variables=[table])
    found = model.predict(costs, SLOW, NO_COSTS, 1, strategy, on_servers([table], 1))
    read, gradients = 2 * 400e3, 500 * 408.0 if strategy == "parameter_server" else 2 * 408e3
    assert (found.sent_bytes, found.received_bytes) == (gradients + 2 * 8e3, read)
    if strategy == "parameter_server":
        # The indices are on their way while nothing else is.
        assert found.step_seconds == pytest.approx(0.05 + (read + gradients + 16e3) / 10e6 + 8 * 1e-4, rel=1e-9)


def simulated_rounds(costs, network, workers, rounds, jitter=0.0):
    """Returns the rounds per second of workers that begin at the same time; a link serves all who use it at once.

    Args:
      jitter: the standard deviation of the seconds of a worker's computation.
    """
    random = np.random.RandomState(0)
    size = sum(each.bytes for each in costs.variables)
    links = {"out": {}, "in": {}}
    events = [(2 * network.latency, worker, "out") for worker in range(workers)]
    now = done = 0.0
    while done < rounds:
        # The next worker that begins to use a link, or the next one that has used it.
        ends = [(min(used.values()) * len(used) / network.bandwidth, name) for name, used in links.items() if used]
        seconds, ended = min(ends) if ends else (np.inf, None)
        if events and events[0][0] - now < seconds:
            seconds, ended = events[0][0] - now, None
        now += seconds
        for used in links.values():
            for worker in used:
                used[worker] -= seconds * network.bandwidth / len(used)
        if ended is None:
            _, worker, name = heapq.heappop(events)
            links[name][worker] = size
            continue
        worker = min(links[ended], key=links[ended].get)
        del links[ended][worker]
        if ended == "out":
            heapq.heappush(events, (now + max(0.0, random.normal(costs.step_seconds, jitter)), worker, "in"))
        else:
            done += 1
            heapq.heappush(events, (now + 4 * network.latency, worker, "out"))
    return done / now


@pytest.mark.parametrize("workers, compute", [(2, 0.02), (4, 0.1)])
def test_asynchronous_rate_is_that_of_simulated_rounds_in_the_long_run(workers, compute):
    costs = job([1 << 20], compute=compute)
    found = asynchronous.predict(costs, SLOW, NO_COSTS, workers, "asynchronous", on_servers(costs.variables, 1))
    rate = 32 * simulated_rounds(costs, SLOW, workers, 4000, jitter=0.02)
    assert found.examples_per_second == pytest.approx(rate, rel=0.04)
    # Workers that always take the same time stay together.
    together = 32 * simulated_rounds(costs, SLOW, workers, 200)
    assert found.examples_per_second_range[0] == pytest.approx(together, rel=0.02)


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
