"""`legacy-towers env` on this machine, and its messages about missing parts."""
import json
import platform
import sys

import pytest
from processes import run, run_python

from legacy_towers.cli import env
from legacy_towers.compat import tf
from legacy_towers.version import VERSION


def test_text_of_this_machine(capsys, monkeypatch):
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    assert env.run(_arguments(json=False)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "legacy_towers   {}".format(VERSION) in lines
    assert any(line.startswith("Python          {} (".format(platform.python_version())) for line in lines)
    assert any(line.startswith("TensorFlow      tensorflow") and line.endswith(tf.__version__) for line in lines)
    assert "  /device:CPU:0: usable" in lines
    assert "  TF_ENABLE_ONEDNN_OPTS=0" in lines
    below = lines[lines.index("will not work:") :]
    assert not any("tf.contrib" in line for line in below)  # supported on every TensorFlow


def test_json_output_of_the_command():
    done = run([sys.executable, "-m", "legacy_towers", "env", "--json"])
    # TensorFlow itself may print to stderr: a build with CUDA searches for a driver.
    assert done.returncode == 0 and "Traceback" not in done.stderr
    found = json.loads(done.stdout)
    assert found["packages"]["numpy"] and found["usable"]
    assert {device["type"] for device in found["devices"]} <= {"CPU", "GPU"}
    assert found["devices"][0]["problem"] is None


def test_without_tensorflow_env_prints_the_pip_command_and_exits_with_1():
    done = run_python(
        "import sys; from legacy_towers.cli.main import main; sys.exit(main(['env']))", blocked=["tensorflow"]
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "\ndevices:\n  none\n" in done.stdout
    assert '\nwill not work:\n  TensorFlow is not installed: pip install "tensorflow==' in done.stdout


CPU = {"name": "/device:CPU:0", "type": "CPU", "memory_bytes": 2**28, "description": "", "problem": None}
GPU = dict(CPU, name="/device:GPU:0", type="GPU", memory_bytes=3 * 2**29, description="device: 0, name: T4")


@pytest.mark.parametrize(
    "device, line",
    [
        (CPU, "/device:CPU:0: usable"),
        (GPU, "/device:GPU:0: 1.5 GiB, usable (device: 0, name: T4)"),
        (dict(GPU, problem="InternalError: no"), "/device:GPU:0: 1.5 GiB, NOT usable (device: 0, name: T4)"),
    ],
)
def test_the_line_of_a_device(device, line):
    assert env._device_line(device) == line


def test_two_installed_tensorflows_and_a_failing_device_are_reported():
    found = {
        "tensorflow": ["tensorflow 2.21.0", "tensorflow_cpu 2.21.0"],
        "devices": [CPU, dict(GPU, problem="InternalError: no")],
        "variables": {},
    }
    sentences = env._will_not_work(tf, found)
    assert (
        "tensorflow 2.21.0 and tensorflow_cpu 2.21.0 are installed in the same folder: uninstall all of them, then "
        "install one" in sentences
    )
    assert "/device:GPU:0: a small matrix product fails with InternalError: no" in sentences
    assert not any(sentence.startswith("GPU devices") for sentence in sentences)


@pytest.mark.parametrize(
    "cuda, visible, sentence",
    [
        (False, None, "there is an NVIDIA driver, but tensorflow_cpu 2.21.0 is built without CUDA"),
        (True, "", "there is an NVIDIA driver, but CUDA_VISIBLE_DEVICES='' hides the GPUs"),
        (True, None, "there is an NVIDIA driver, but TensorFlow finds no GPU: legacy-towers env --tensorflow-logs"),
    ],
)
def test_the_reason_why_tensorflow_finds_no_gpu_despite_a_driver(monkeypatch, cuda, visible, sentence):
    monkeypatch.setattr(env.shutil, "which", lambda program: "/usr/bin/" + program)
    monkeypatch.setattr(tf.test, "is_built_with_cuda", lambda: cuda)
    variables = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    found = {"devices": [CPU], "tensorflow": ["tensorflow_cpu 2.21.0"], "variables": variables}
    assert sentence in env._gpus(tf, found)


def _arguments(json):
    return env.argparse.Namespace(json=json)
