"""Predicted steps over parameter servers against simulated ones, and what limits them."""
import pytest
from scaling.simulated_links import FAST, NO_COSTS, SLOW, Links, job

from legacy_towers.scaling import asynchronous, parameter_servers
from legacy_towers.scaling.placement import on_servers

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
