"""What TensorFlow's runtime costs, computed from measured steps."""
import pytest
from scaling.simulated_links import RUNTIME

from legacy_towers.scaling.calibration import runtime_costs, zero_costs
from legacy_towers.scaling.calibration_models import MODELS, ONE_PROCESS
from legacy_towers.scaling.values import RuntimeCosts


def measured(planted):
    """Returns the steps of a calibration whose costs are `planted`."""
    def step(strategy, model):
        count, size = MODELS[model].variables, MODELS[model].bytes
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
