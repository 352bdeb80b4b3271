"""Comparisons in real processes, on jobs whose model sleeps for a known time."""
import sys

import job_files
import preloaded
import pytest

from legacy_towers.compare.engine import compare
from legacy_towers.compare.settings import CompareSettings, JobCall
from legacy_towers.compare.strategy_candidates import find_candidates
from legacy_towers.training.job import load_job

# A step takes 30 ms with each pipeline and 20 ms with the winner, which is recognized by an operation of its graph.
SLEEPY = """
    import time
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    OPERATIONS = {"dataset:split": "Split", "queue": "QueueDequeueV2", "": "none"}

    @lt.job
    def sleepy(winner=""):
        def model_fn(batch, mode):
            kinds = {operation.type for operation in tf.get_default_graph().get_operations()}
            seconds = 0.02 if OPERATIONS[winner] in kinds else 0.03

            def sleep(value):
                time.sleep(seconds)
                return value

            x = tf.numpy_function(sleep, [batch["x"]], tf.float32)
            x.set_shape([4, 3])
            w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
            return lt.TowerOutput(loss=tf.reduce_mean(tf.square(x * w - 1)))

        examples = lt.Examples.from_arrays({"x": np.ones((64, 3), np.float32)})
        return lt.Job(
            model_fn, examples, lambda step: tf.train.GradientDescentOptimizer(0.1), per_tower_batch_size=4,
            input="feed",
        )
"""


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("winner", ["dataset:split", "queue", ""], ids=["a dataset wins", "a queue wins", "ties"])
def test_the_verdict_names_the_pipeline_with_the_shortest_sleep(tmp_path, monkeypatch, winner):
    monkeypatch.setattr(sys, "executable", preloaded.executable())
    path = job_files.write(tmp_path, "sleepy.py", SLEEPY)
    options = {"winner": winner}
    job = load_job(path)(**options)
    settings = CompareSettings(inputs=["feed", "queue", "dataset:split"], towers=[1], rounds=5, parity=False, steps=8)
    # Other load on the machine may change the verdict, but hardly three times.
    for _ in range(3):
        progress, logs = [], []
        document = compare(
            JobCall(path, "sleepy", options), job, settings, find_candidates(job, settings), progress.append,
            logs.append,
        )
        assert logs == [] and progress[-1] == "1 tower: traces"
        verdict = document.verdicts["1"]
        if verdict.winner == (winner or None) and "inconclusive" not in verdict.sentence:
            break
    assert verdict.winner == (winner or None), verdict
    assert document.job_options == options and document.parity == []
    if winner:
        assert "nothing else is " in verdict.sentence
    for row in document.rows:
        assert 0 <= row.waiting.by_trace.low <= row.waiting.by_trace.high <= 1
