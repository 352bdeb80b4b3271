"""tf.estimator.train_and_evaluate under strategies over processes, by TensorFlow 1.15's Estimator and by ours."""
import io
import json
import os
import threading

import numpy as np
import preloaded
import pytest

from legacy_towers.cluster.launching.one_machine import launch
from legacy_towers.compat import tf

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "estimator_workers.py")
ROWS, STEPS = np.arange(16.0) / 8, 6
# Strategy -> the tasks that are launched.
CLUSTERS = {"collective": dict(workers=2), "ps": dict(workers=0, parameter_servers=1, chief=True)}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Returns per strategy the exit code, the lines of JSON of each task, and the folder; both clusters run at once."""
    found = {}
    threads = [
        threading.Thread(target=_run, args=(found, kind, str(tmp_path_factory.mktemp(kind) / "model")))
        for kind in CLUSTERS
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _run(found, kind, folder):
    output, messages = io.BytesIO(), io.BytesIO()
    environ = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2")
    words = [preloaded.executable(), "-m", "legacy_towers", "run", SCRIPT, kind, folder]
    code = launch(words, environ=environ, stdout=output, stderr=messages, **CLUSTERS[kind])
    lines = {}
    for line in output.getvalue().decode().splitlines():
        task, _, text = line.partition("] ")
        if text.startswith("{"):
            lines.setdefault(task[1:], []).append(json.loads(text))
    found[kind] = code, lines, folder, messages.getvalue().decode()[-3000:]


def descend(shards):
    """Computes the training with numpy; returns the losses of each shard, and the weight and bias at the end.

    Args:
      shards: per worker the rows that it reads, again and again, 4 at a time.
    """
    values, momenta, losses = np.zeros(2), np.zeros(2), [[] for _ in shards]
    for step in range(STEPS):
        gradients = []
        for shard, of_shard in zip(shards, losses):
            rows = np.resize(shard, (STEPS * 4,))[step * 4:][:4]
            error = values[0] * rows + values[1] - (3 * rows + 1)
            of_shard.append(np.mean(error ** 2))
            gradients.append([np.mean(2 * error * rows), np.mean(2 * error)])
        momenta = 0.5 * momenta + np.mean(gradients, axis=0)
        values = values - 0.125 * momenta
    return losses, values


def check_values(folder, values):
    reader = tf.train.load_checkpoint(folder)
    assert reader.get_tensor("global_step") == STEPS
    found = [reader.get_tensor("weight")[0], reader.get_tensor("bias")[0]]
    np.testing.assert_allclose(found, values, rtol=1e-12)


def test_collective_all_reduce_strategy_trains_with_the_mean_gradient_of_both_workers(trained):
    code, lines, folder, messages = trained["collective"]
    assert code == 0, messages
    losses, values = descend([ROWS[0::2], ROWS[1::2]])
    for index in (0, 1):
        of_task = lines["worker:{}".format(index)]
        assert [each["task"] for each in of_task if "task" in each] == [["worker", index, index == 0, 2, 0, index]]
        steps = [each for each in of_task if "loss" in each]
        np.testing.assert_allclose([each["loss"] for each in steps], losses[index], rtol=1e-12)
        assert steps[0]["rows"] == list(ROWS[index::2][:4])
        assert of_task[-1]["result"] is None
    check_values(folder, values)
    # Every worker saves, since saving can run collective operations; the others do so in folders of their own.
    assert [each for each in os.listdir(folder) if each.startswith("tmp")] == ["tmp_worker_1"]
    check_values(os.path.join(folder, "tmp_worker_1"), values)


def test_parameter_server_strategy_keeps_variables_on_the_ps_of_tf_config(trained):
    code, lines, folder, messages = trained["ps"]
    assert code == 0, messages
    losses, values = descend([ROWS])
    of_chief = lines["chief:0"]
    assert [each["task"] for each in of_chief if "task" in each] == [["chief", 0, True, 1, 1, 0]]
    np.testing.assert_allclose([each["loss"] for each in of_chief if "loss" in each], losses[0], rtol=1e-12)
    check_values(folder, values)
    assert not any("loss" in each for each in lines["ps:0"])


def test_estimator_train_over_workers_is_refused_by_name(trained):
    for kind in CLUSTERS:
        for task, lines in trained[kind][1].items():
            refused = [each["refused"] for each in lines if "refused" in each]
            assert len(refused) == 1 and ("train_and_evaluate" in refused[0] or "STANDALONE" in refused[0]), task
