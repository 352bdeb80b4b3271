"""The plan over numbers of workers, its text and JSON, units, and costs computed from measured steps."""
import json

import pytest

from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.scaling import units
from legacy_towers.scaling.calibration import runtime_costs, zero_costs
from legacy_towers.scaling.json_file import plan_json, read_runtime
from legacy_towers.scaling.models import MODELS, ONE_PROCESS
from legacy_towers.scaling.plan import plan, worker_counts
from legacy_towers.scaling.report import plan_text
from legacy_towers.scaling.values import JobCosts, Message, Network, RuntimeCosts, VariableCosts

RUNTIME = RuntimeCosts(3e-4, 2e-4, 1.2e-9, 2e-3, 2e-3, 3e-4, 1.6e-4, 2.5e-10, 5e-10, "2.21.0")
NETWORK = Network(3.125e9, 5e-5, 8)


def costs(size=100 << 20, compute=0.2, rows=None):
    sent = size if rows is None else rows * 1008
    variables = [VariableCosts("table", size, sent, sent, 1.0, rows), VariableCosts("bias", 400, 400, 400, 0.9)]
    return JobCosts(1, 32, compute, 0.001, compute, variables, [Message(400, 0.9), Message(size, 1.0)])


def test_worker_counts_are_powers_of_two_and_the_most():
    assert worker_counts(1) == [1]
    assert worker_counts(8) == [1, 2, 4, 8]
    assert worker_counts(12) == [1, 2, 4, 8, 12]


def test_plan_names_the_fastest_strategy_and_where_each_stops():
    found = plan(costs(), NETWORK, RUNTIME, 64, 4)
    assert [each.workers for each in found.rows if each.strategy == "balanced"] == [1, 2, 4, 8, 16, 32, 64]
    assert {each.strategy for each in found.rows} == set(found.limits) == {
        "replicated", "parameter_server", "balanced", "partitioned:13MiB", "asynchronous+balanced",
        "asynchronous+partitioned:13MiB",
    }
    assert found.fastest.strategy == "replicated"
    rates = {(each.strategy, each.workers): each.examples_per_second for each in found.rows}
    for strategy, limit in found.limits.items():
        if limit.workers is not None and limit.workers <= 32:
            gain = rates[strategy, limit.workers * 2] / rates[strategy, limit.workers] - 1
            assert gain < 0.1 and limit.gain == pytest.approx(gain), strategy
            assert limit.workers == 1 or rates[strategy, limit.workers] / rates[strategy, limit.workers // 2] >= 1.1
    assert found.limits["parameter_server"].workers < found.limits["replicated"].workers
    assert found.limits["parameter_server"].limited_by == "bandwidth of a parameter server"


def test_sparse_gradients_are_faster_over_parameter_servers():
    found = plan(costs(rows=500), NETWORK, RUNTIME, 8, 1)
    assert found.fastest.strategy == "parameter_server"
    assert found.fastest.sent_bytes == 500 * 1008 + 400
    text = plan_text(found)
    assert "sparse: 1 variable, of which a worker uses 500 rows per step" in text
    assert "fastest with 8 workers: parameter_server" in text


def test_a_plan_without_a_faster_strategy_begins_with_that():
    found = plan(costs(size=10**7, compute=0.001), NETWORK, RUNTIME, 2, 1)
    assert "no strategy is faster than one process; fastest with 2 workers: " in plan_text(found)


def test_asynchronous_training_is_named_where_it_has_more_examples_per_second():
    slow = RUNTIME._replace(step_seconds=0.1)
    found = plan(costs(size=1000, compute=0.01), NETWORK, slow._replace(hop_seconds=0.1), 8, 1)
    assert not found.fastest.strategy.startswith("asynchronous")
    assert "asynchronous training has more examples/s" in " ".join(plan_text(found).split())


def test_plan_json_has_all_figures_and_its_runtime_can_be_read(tmp_path):
    found = plan(costs(), NETWORK, RUNTIME, 4, 1)
    content = json.loads(plan_json(found))
    assert content["fastest"] == found.fastest.strategy
    assert content["job"]["variables"][0]["bytes"] == 100 << 20
    assert content["rows"][0] == dict(
        strategy="replicated", workers=1, servers=0, step_seconds=0.2, examples_per_second=160.0, sent_bytes=0.0,
        received_bytes=0.0, parts={"compute": 0.2}, limited_by="compute",
    )
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(content))
    assert read_runtime(str(path)) == RUNTIME


@pytest.mark.parametrize("text, sentence", [
    ("{", " is not JSON: "),
    ("[]", ' has no object "runtime"'),
    (json.dumps({"runtime": dict(RUNTIME._asdict(), hop_seconds=-1)}), "runtime.hop_seconds is -1: it must be a num"),
    (json.dumps({"runtime": dict(RUNTIME._asdict(), step_seconds=True)}), "runtime.step_seconds is True"),
    (json.dumps({"runtime": {"tensorflow": "2.21.0"}}), "runtime.hop_seconds is None"),
])
def test_files_without_the_costs_of_the_runtime_are_refused(tmp_path, text, sentence):
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_runtime(str(path))
    assert sentence in str(error.value)


@pytest.mark.parametrize("function, text, value", [
    (units.bandwidth, "25Gbit", 3.125e9), (units.bandwidth, "100 Mbit/s", 12.5e6), (units.bandwidth, "1.5GB", 1.5e9),
    (units.bandwidth, "2MiB", 2.0**21), (units.seconds, "50us", 5e-5), (units.seconds, ".5ms", 5e-4),
    (units.seconds, "0s", 0.0),
])
def test_units_are_read(function, text, value):
    assert function(text, "--x") == pytest.approx(value)


@pytest.mark.parametrize("function, text", [
    (units.bandwidth, "25"), (units.bandwidth, "0Gbit"), (units.bandwidth, "-1Gbit"), (units.bandwidth, "25 gigabit"),
    (units.seconds, "50"), (units.seconds, "nan ms"), (units.seconds, "5 minutes"),
])
def test_numbers_without_a_known_unit_are_refused(function, text):
    with pytest.raises(ArgumentError) as error:
        function(text, "--x")
    assert "--x is {!r}: it must be a ".format(text) in str(error.value)


def measured(planted):
    """Returns the steps of a calibration whose costs are `planted`."""
    def step(strategy, model):
        count, values, _ = MODELS[model]
        size = 4 * count * values
        own = {"seconds": 1e-3 + 1e-9 * size, "cpu_seconds": 5e-4 + 2e-9 * size, "server_cpu_seconds": 0.0}
        if strategy == "replicated":
            own["seconds"] += 2 * planted.hop_seconds
            own["cpu_seconds"] += 2 * count * planted.hop_cpu_seconds + size * planted.ring_byte_seconds
        elif strategy != ONE_PROCESS:
            is_synchronous = strategy == "parameter_server"
            own["seconds"] += planted.step_seconds if is_synchronous else planted.asynchronous_step_seconds
            own["cpu_seconds"] += count * planted.worker_variable_seconds + 2 * size * planted.worker_byte_seconds
            own["server_cpu_seconds"] = 2 * (
                count * planted.server_variable_seconds + 2 * size * planted.server_byte_seconds
            )
        return own

    return dict(
        {strategy: {model: step(strategy, model) for model in MODELS}
         for strategy in (ONE_PROCESS, "replicated", "parameter_server", "asynchronous")}, tensorflow="2.21.0"
    )


def test_runtime_costs_are_those_that_the_measured_steps_have():
    found = runtime_costs(measured(RUNTIME))
    for name in RuntimeCosts._fields[:-1]:
        assert getattr(found, name) == pytest.approx(getattr(RUNTIME, name), rel=1e-3), name
    assert found.tensorflow == "2.21.0"


def test_runtime_costs_are_never_below_zero():
    steps = measured(RUNTIME)
    steps["replicated"] = steps[ONE_PROCESS]
    found = runtime_costs(steps)
    assert (found.hop_seconds, found.hop_cpu_seconds, found.ring_byte_seconds) == (0, 0, 0)
    assert zero_costs(found) == ["hop_seconds", "hop_cpu_seconds", "ring_byte_seconds"]
