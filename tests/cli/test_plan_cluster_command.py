"""legacy-towers plan-cluster: printed and written results, and the calibration by three processes."""
import json
import sys

import job_files
import preloaded
import pytest

from legacy_towers.cli.main import main
from legacy_towers.scaling.calibration import calibrate

RUNTIME = {
    "hop_seconds": 3e-4, "hop_cpu_seconds": 2e-4, "ring_byte_seconds": 1.2e-9, "step_seconds": 2e-3,
    "asynchronous_step_seconds": 2e-3, "worker_variable_seconds": 3e-4, "server_variable_seconds": 1.6e-4,
    "worker_byte_seconds": 2.5e-10, "server_byte_seconds": 5e-10, "tensorflow": "2.21.0",
}


def test_plan_cluster_prints_a_table_and_writes_json(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", job_files.LINE)
    (tmp_path / "runtime.json").write_text(json.dumps({"runtime": RUNTIME}))
    words = "plan-cluster line.py --workers 6 --bandwidth 1Gbit --latency 50us --towers 2 --ps 2 --cores 16 --rate 0.2"
    assert main(words.split() + "--step-time 100ms --runtime runtime.json --json plan.json".split()) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "a worker: 2 towers, 64 examples per step in 100 ms" in output
    assert "network: 1 Gbit/s, 50 us one way, 16 cores per machine" in output
    assert "TensorFlow 2.21.0: 300 us per hop of an all-reduce, 2 ms per step over parameter servers" in output
    content = json.loads((tmp_path / "plan.json").read_text())
    assert content["runtime"] == RUNTIME
    assert [each["workers"] for each in content["predictions"]] == 6 * [1, 2, 4, 6]
    # 12 bytes of gradients: an all-reduce of 6 workers takes 10 hops and 11 latencies, next to 100 ms of computation.
    found = next(each for each in content["predictions"] if each["strategy"] == "replicated" and each["workers"] == 6)
    assert found["parts"]["latency"] == pytest.approx(11 * 50e-6)
    assert found["parts"]["TensorFlow's runtime"] == pytest.approx(10 * RUNTIME["hop_seconds"])
    assert 0.1 < found["step_seconds"] <= 0.1 + 11 * 50e-6 + 10 * RUNTIME["hop_seconds"] + 1e-3
    assert "replicated 6 {:.3g} ms {:,.0f} ".format(1e3 * found["step_seconds"], 384 / found["step_seconds"]) in output
    assert "fastest with 6 workers: {}, ".format(content["fastest"]) in output
    assert all("{}: ".format(strategy) in output for strategy in content["limits"])
    assert content["job"]["variables"][0]["bytes"] == 12
    assert content["job"]["step_seconds"] == 0.1


@pytest.mark.slow  # 10 to 20 seconds
def test_calibration_measures_costs_above_zero(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", preloaded.executable())
    costs = calibrate(share=0.1)
    assert 0 < costs.hop_seconds < 10 and 0 < costs.step_seconds < 10
    assert costs.server_byte_seconds > 0 and costs.ring_byte_seconds > 0
