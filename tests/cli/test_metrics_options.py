"""Options for summaries, metrics.jsonl, Prometheus, traces and schedules on the command line."""
import json
import os
import socket

import job_files
import pytest
from commands import command

from legacy_towers.training.metrics import prometheus_port

OWN = job_files.LINE.replace("optimizer=lambda step: tf.train.GradientDescentOptimizer(rate)", (
    "optimizer=lambda step, learning_rate: tf.train.GradientDescentOptimizer(learning_rate), "
    "metrics=lt.training.MetricsOptions(metrics_every=3, summary_every=0, trace='own.json', trace_steps='2:3')"
))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty current directory with two job files."""
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", job_files.LINE)
    job_files.write(tmp_path, "own.py", OWN)
    return tmp_path


def records(path):
    with open(path) as source:
        return [json.loads(line) for line in source]


def test_the_options_of_a_job_are_used_and_the_command_line_overrides_them(capsys):
    assert command("train own.py --steps 7 --checkpoint-dir kept --schedule step:0.25,decay=0.5,every=2") == 0
    found = records("kept/metrics.jsonl")
    rates = [(each["step"], each.get("learning_rate")) for each in found]
    assert rates == [(1, 0.25), (3, 0.125), (6, 0.0625), (7, None)]
    assert set(found[-1]["evaluation"]) == {"error", "loss"}
    assert sorted(name for name in os.listdir(".") if name.endswith(".json")) == ["own-2.json", "own-3.json"]
    assert not [name for name in os.listdir("kept") if name.startswith("events")]
    assert "(trace of step 2 in own-2.json)\n" in capsys.readouterr().out
    assert command("train own.py --steps 7 --checkpoint-dir kept --schedule constant:0.1 --quiet") == 0
    assert records("kept/metrics.jsonl") == found  # complete: it only evaluates
    words = "train own.py --steps 9 --checkpoint-dir kept --metrics-every 2 --summary-every 2 --trace-steps 9 --bare"
    assert command(words + " --schedule constant:0.1 --quiet") == 0
    assert [each["step"] for each in records("kept/metrics.jsonl")] == [1, 3, 6, 7, 8]
    assert os.path.exists("own.json") and [name for name in os.listdir("kept") if name.startswith("events")]


def test_metrics_are_served_while_a_run_trains(folder, capsys):
    with socket.socket() as probe:
        probe.bind(("", 0))
        port = probe.getsockname()[1]
    scrape = '''
        from urllib.request import urlopen
        class Scrape(lt.training.Callback):
            def on_evaluation(self, step, metrics):
                pass
            def on_checkpoint(self, step, path):
                if step == 20:
                    print(urlopen("http://localhost:{}/metrics".format(PORT), timeout=20).read().decode())
    '''.replace("PORT", str(port))
    text = job_files.LINE.replace("    def points", scrape.replace("\n    ", "\n") + "\n    def points", 1)
    text = text.replace("test=None if bare", "callbacks=[Scrape()], test=None if bare")
    job_files.write(folder, "served.py", text)
    words = "train served.py --steps 40 --checkpoint-dir kept --save-steps 20 --prometheus-port {}".format(port)
    assert command(words) == 0
    shown = capsys.readouterr()
    assert "legacy_towers_loss " in shown.out
    assert "metrics for Prometheus: port {}\n".format(port) in shown.err


@pytest.mark.parametrize("options, message", [
    ("--metrics-every 5", "--metrics-every has no effect without --checkpoint-dir"),
    ("--summary-every -1 --checkpoint-dir kept", "--summary-every is -1: a number of steps is needed, or 0 for none"),
    ("--trace-steps 5", "--trace-steps has no effect without --trace FILE"),
    ("--trace t.json --trace-steps 5:1", "--trace-steps: '5:1' does not name steps: give numbers from 1 and ranges"),
    ("--schedule cosine:0.1", "--schedule: the schedule 'cosine:0.1': after \":\", 'cosine' takes RATE,steps=NUMBER"),
    ("--schedule constant:0.1", "the schedule 'constant:0.1' has no effect: the job's optimizer function must take it"),
    ("--prometheus-port 70000", "--prometheus-port is 70000: a port is a number from 1 to 65535"),
])
def test_wrong_options_end_with_exit_code_2_and_no_directory(options, message, capsys):
    assert command("train line.py --steps 3 " + options) == 2
    assert message in capsys.readouterr().err
    assert not os.path.exists("kept")


def test_a_port_in_use_and_a_missing_package_end_before_training(capsys, monkeypatch):
    with socket.socket() as other:
        other.bind(("", 0))
        other.listen(1)
        port = other.getsockname()[1]
        assert command("train line.py --steps 3 --prometheus-port {}".format(port)) == 2
    assert "--prometheus-port is {}: the port can't be served (Address already".format(port) in capsys.readouterr().err
    monkeypatch.setattr(prometheus_port.importlib.util, "find_spec", lambda name: None)
    assert command("train line.py --steps 3 --prometheus-port 9090") == 2
    assert "--prometheus-port needs prometheus_client, which is not installed" in capsys.readouterr().err
