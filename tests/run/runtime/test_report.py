"""`--report`: the report of mapped devices, replaced names and sessions."""
import json
import os

import pytest
from run.runtime.prepared import script

from legacy_towers.compat import tf as real
from legacy_towers.compat.tf1 import user_script


def towers_and_sessions(tf):
    with tf.Graph().as_default():
        for tower in range(2):
            with tf.device("/gpu:{}".format(tower)):
                tf.constant(1.0) + 1.0
        for _ in range(3):
            config = tf.ConfigProto(inter_op_parallelism_threads=2)
            config.gpu_options.experimental.SetInParent()  # an empty message, which the report leaves out
            with tf.Session(config=config) as session:
                session.run(tf.constant(1.0))
    user_script.report_replacement("tf.mul", "tf.multiply")


def test_the_json_report_lists_devices_names_and_sessions(tmp_path):
    path = str(tmp_path / "report.json")
    with script("--timeout-steps 9 --report " + path) as (tf, _):
        towers_and_sessions(tf)
        assert not os.path.exists(path)
    with open(path) as file:
        found = json.load(file)
    assert (found["script"], found["ended"], found["session_runs"]) == ("script.py", "done", 3)
    assert found["tensorflow"] == real.__version__ and found["gpus"] == 0
    assert found["devices"] == [
        {"asked": "/gpu:0", "given": "/cpu:0", "operations": 3},
        {"asked": "/gpu:1", "given": "/cpu:1", "operations": 3},
    ]
    (name,) = found["names"]
    assert (name["name"], name["meaning"]) == ("tf.mul", "tf.multiply")
    assert name["file"].endswith("test_report.py") and name["line"] > 1
    (session,) = found["sessions"]
    assert session["made"] == 3 and session["kind"] == "Session" and "test_report.py:" in session["place"]
    assert session["config"] == {
        "allow_soft_placement": True, "device_count": {"CPU": 2}, "inter_op_parallelism_threads": 2
    }


@pytest.mark.parametrize("suffix, expected", [("json", '"given": null'), ("txt", "/gpu:0 TensorFlow's choice")])
def test_with_soft_the_report_gives_no_device_for_missing_gpus(tmp_path, suffix, expected):
    path = str(tmp_path / ("report." + suffix))
    with script("--soft --report " + path) as (tf, _):
        towers_and_sessions(tf)
    with open(path) as file:
        text = " ".join(file.read().split())
    assert text.count(expected) == (2 if suffix == "json" else 1)


def test_the_text_report_lists_devices_and_names(tmp_path):
    path = str(tmp_path / "report.txt")
    with script("--report " + path) as (tf, _):
        towers_and_sessions(tf)
    with open(path) as file:
        text = file.read()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "script script.py" in lines[0] and "ended done" in lines and "GPUs none" in lines
    assert "/gpu:1 /cpu:1 3" in lines
    assert any("tf.mul tf.multiply" in line for line in lines)


@pytest.mark.parametrize(
    "end, expected",
    [
        (lambda tf: {}["no such key"], "KeyError: 'no such key'"),
        (lambda tf: exec("raise SystemExit(3)"), "exit code 3"),
        (lambda tf: exec("raise SystemExit('arguments')"), "exit code 1"),
        (lambda tf: exec("raise SystemExit(0)"), "done"),
        (lambda tf: exec("raise KeyboardInterrupt"), "KeyboardInterrupt"),
    ],
)
def test_the_report_has_the_error_that_ended_the_script(end, expected, tmp_path):
    path = str(tmp_path / "report.json")
    with pytest.raises(BaseException), script("--report " + path) as (tf, _):  # noqa: B017
        end(tf)
    with open(path) as file:
        assert json.load(file)["ended"] == expected


@pytest.mark.parametrize("steps, expected", [(1, "after 1 session run"), (2, "after 2 session runs")])
def test_the_report_has_the_number_of_runs_at_the_limit(tmp_path, steps, expected):
    path = str(tmp_path / "report.json")
    with pytest.raises(SystemExit), script("--timeout-steps {} --report {}".format(steps, path)) as (tf, _):
        with tf.Graph().as_default(), tf.Session() as session:
            value = tf.constant(1.0)
            while True:
                session.run(value)
    with open(path) as file:
        found = json.load(file)
    assert (found["ended"], found["session_runs"]) == (expected, steps)


def test_an_empty_report_lists_no_devices_names_and_sessions(tmp_path):
    path = str(tmp_path / "report.txt")
    with script("--report " + path):
        pass
    with open(path) as file:
        text = file.read()
    assert "no devices" in text and "no names" in text and "no sessions" in text
