"""Measures what TensorFlow's runtime costs, by three processes on this machine: two workers, a parameter server."""
import io
import json
import os
import sys
import tempfile
from typing import Any, Dict, List

from legacy_towers.cluster.launching.one_machine import launch
from legacy_towers.errors import RunError
from legacy_towers.scaling.calibration_models import MODELS, ONE_PROCESS, RESULT_PREFIX
from legacy_towers.scaling.values import RuntimeCosts


def calibrate(share: float = 1.0) -> RuntimeCosts:
    """Trains models of one tiny, one large and 16 medium variables over this machine's own network interface.

    Args:
      share: of the steps that are enough: below 1 for a rough measurement.

    Raises:
      RunError: the processes failed; the message has the end of their output.
    """
    output, messages = io.BytesIO(), io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "legacy_towers.scaling.calibration_task", folder, str(share)]
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
        code = launch(command, 2, 1, environment, stdout=output, stderr=messages)
    prefix = "[worker:0] " + RESULT_PREFIX
    lines = [line for line in output.getvalue().decode("utf-8", "replace").splitlines() if line.startswith(prefix)]
    if code or not lines:
        end = messages.getvalue().decode("utf-8", "replace").strip()[-2000:]
        raise RunError("the processes that measure TensorFlow's runtime ended with exit code {}:\n{}".format(code, end))
    return runtime_costs(json.loads(lines[-1][len(prefix):]))


def runtime_costs(measured: Dict[str, Any]) -> RuntimeCosts:
    """Returns the costs, each at least 0, from what worker 0 measured.

    Every figure is a difference to the same step in one process, or between two models, so that the model's own
    computation cancels out. CPU times are of a process alone: other load on the machine changes them little, and the
    three processes can share few cores.

    Args:
      measured: strategy, or "one process" -> model -> {"seconds", "cpu_seconds", "server_cpu_seconds"} of a step; and
        "tensorflow" -> its version.
    """
    sizes = {name: model.bytes for name, model in MODELS.items()}
    count = MODELS["many"].variables

    def more(strategy: str, model: str, name: str) -> float:
        return float(measured[strategy][model][name] - measured[ONE_PROCESS][model][name])

    # Over two workers, a gradient makes two hops of half of it.
    large = more("replicated", "large", "cpu_seconds") - more("replicated", "tiny", "cpu_seconds")
    ring_byte = _at_least_zero(large) / (sizes["large"] - sizes["tiny"])
    many = more("replicated", "many", "cpu_seconds") - more("replicated", "tiny", "cpu_seconds")
    hop_cpu = _at_least_zero(many - sizes["many"] * ring_byte) / (2 * (count - 1))
    # Over parameter servers, a variable is read and its gradient sent.
    worker, server = (
        lambda model: more("parameter_server", model, "cpu_seconds"),
        lambda model: measured["parameter_server"][model]["server_cpu_seconds"],
    )
    difference = 2 * (sizes["large"] - sizes["tiny"])
    by_byte = [_at_least_zero(each("large") - each("tiny")) / difference for each in (worker, server)]
    # The server works for both workers.
    by_byte[1] /= 2
    by_variable = [
        _at_least_zero(each("many") - each("tiny") - 2 * workers * sizes["many"] * byte) / (count - 1) / workers
        for each, byte, workers in ((worker, by_byte[0], 1), (server, by_byte[1], 2))
    ]
    return RuntimeCosts(
        hop_seconds=_at_least_zero(more("replicated", "tiny", "seconds")) / 2,
        hop_cpu_seconds=hop_cpu,
        ring_byte_seconds=ring_byte,
        step_seconds=_at_least_zero(more("parameter_server", "tiny", "seconds")),
        asynchronous_step_seconds=_at_least_zero(more("asynchronous", "tiny", "seconds")),
        worker_variable_seconds=by_variable[0],
        server_variable_seconds=by_variable[1],
        worker_byte_seconds=by_byte[0],
        server_byte_seconds=by_byte[1],
        tensorflow=str(measured["tensorflow"]),
    )


def zero_costs(runtime: RuntimeCosts) -> List[str]:
    """Returns the names of the costs that are 0, since the noise of the measurement was larger than they are."""
    return [name for name, value in runtime._asdict().items() if value == 0.0]


def _at_least_zero(value: float) -> float:
    return max(0.0, value)
