"""`--prove`: queues of a script are compared with tf.data before its first session runs."""
import json
import threading

import pytest
from migrate.proof.test_wrong_conversions import planted
from run.runtime import prepared
from run.runtime.test_queue_conversion import numbers, started

from legacy_towers.compat import tf as compat_tf
from legacy_towers.errors import ArgumentError
from legacy_towers.run.runtime import queue_proof

PROVE = "--queues-to-dataset --prove"


def test_a_proof_is_printed_before_the_first_run(capsys, tmp_path):
    path = tmp_path / "report.json"
    with prepared.script("{} --report {}".format(PROVE, path)) as (tf, _), tf.Graph().as_default():
        total = tf.reduce_sum(numbers(tf))
        with tf.Session() as session:
            started(tf, session)
            assert [session.run(total) for _ in range(4)] == [1, 5, 9, 13]
    lines = capsys.readouterr().err.splitlines()
    proven = "'numbers/fifo_queue': PROVEN: the same 4 batches in the same order, bit for bit, in all epochs"
    assert sum(proven in line for line in lines) == 1
    report = json.loads(path.read_text())
    [plan] = report["queues"]
    assert (plan["promise"], plan["proof"]["verdict"], plan["proof"]["batches"]) == ("same sequence", "proven", [4, 4])
    assert report["training_proofs"] == []


def test_a_training_step_is_compared(capsys):
    with prepared.script(PROVE) as (tf, _), tf.Graph().as_default():
        weight = tf.get_variable("weight", [])
        loss = tf.reduce_mean(tf.square(tf.cast(numbers(tf), tf.float32) * weight), name="loss")
        tf.losses.add_loss(loss)
        tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf.train.MonitoredTrainingSession() as session:
            session.run(loss)
    assert "training: PROVEN: 4 steps give the same loss, trainable variables, bit for bit" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["json", "txt"])
def test_a_difference_ends_the_script_with_exit_code_1(suffix, capsys, tmp_path):
    path = tmp_path / ("report." + suffix)
    ran = []
    with planted(lambda dataset: dataset.skip(1)), pytest.raises(SystemExit) as ended:
        with prepared.script("{} --report {}".format(PROVE, path)) as (tf, _), tf.Graph().as_default():
            batch = numbers(tf)
            with tf.Session() as session:
                started(tf, session)
                ran.append(session.run(batch))
    assert ended.value.code == 1 and not ran
    error = capsys.readouterr().err
    assert "'numbers/fifo_queue': DIFFERENT: batch 1, component 0 ('numbers:0') has other values: [0 1] in the" in error
    assert "--allow-different runs it" in error
    assert "different" in path.read_text()


def test_a_difference_that_is_allowed(capsys):
    with planted(lambda dataset: dataset.skip(1)):
        with prepared.script(PROVE + " --allow-different") as (tf, _), tf.Graph().as_default():
            batch = numbers(tf)
            with tf.Session() as session:
                started(tf, session)
                assert session.run(batch).tolist() == [2, 3]
    assert "DIFFERENT" in capsys.readouterr().err


@pytest.mark.parametrize("options, problem", [
    ("--prove", "--prove needs --queues-to-dataset"),
    ("--queues-to-dataset --allow-different", "--allow-different needs --prove"),
])
def test_options_that_need_another(options, problem):
    with pytest.raises(ArgumentError, match=problem):
        with prepared.script(options):
            pass


def test_a_comparison_that_lasts_is_announced_once(monkeypatch):
    said, is_announced = [], threading.Event()

    def say(line):
        said.append(line)
        is_announced.set()

    def lasting(graph):
        assert is_announced.wait(60)
        raise ArgumentError("nothing to compare")

    monkeypatch.setattr(queue_proof, "prove", lasting)
    queue_proof.QueueProof(say, False, announced_after=0.0).check(compat_tf.Graph())
    assert [line.partition(":")[0] for line in said] == [
        "--prove goes on", "--prove"
    ] and said[1].endswith("nothing to compare")


def test_a_short_comparison_is_not_announced(monkeypatch):
    said = []

    def short(graph):
        raise ArgumentError("nothing to compare")

    monkeypatch.setattr(queue_proof, "prove", short)
    queue_proof.QueueProof(said.append, False, announced_after=3600.0).check(compat_tf.Graph())
    assert said == ["--prove: NOT COMPARED: nothing to compare"]
