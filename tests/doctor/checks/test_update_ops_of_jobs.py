"""A job whose step combines the towers' updates of moving averages gives no finding."""
import json
import textwrap

import pytest

from legacy_towers.cli import main

JOB = """
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model_fn(batch, mode):
        x = tf.layers.batch_normalization(batch["x"], training=mode == lt.TRAIN)
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.layers.dense(x, 1) - 1.0)))

    @lt.job
    def normalized(policy="mean"):
        x = np.random.RandomState(0).rand(640, 2).astype(np.float32)
        return lt.Job(model_fn, lt.Examples.from_arrays({"x": x}), tf.train.MomentumOptimizer(0.1, 0.9),
                      per_tower_batch_size=4, epochs=90, update_ops=policy)
"""


@pytest.mark.parametrize("options", [
    "--policy first", "--policy all", "--policy mean", "--policy mean --variables replicated",
    "--policy own --variables local_sgd:2",
])
def test_batch_norm_of_a_job_whose_step_updates_the_averages(options, tmp_path, capsys):
    (tmp_path / "job.py").write_text(textwrap.dedent(JOB))
    words = ["doctor", "--json", "--steps", "2", str(tmp_path / "job.py"), "--towers", "2"] + options.split()
    assert main.main(words) == 0
    found = json.loads(capsys.readouterr().out)
    # With "all", the towers write in no order, which LD210 finds.
    assert {each["code"] for each in found["findings"]} <= {"LD210"} and not found["examined"].startswith("0 graphs")
