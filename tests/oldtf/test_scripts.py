"""Each script of tests/scripts, unchanged: by plain Python on TensorFlow 1.15 and by `run` elsewhere, the same losses.

The losses were recorded on TensorFlow 1.15, and start from its initial values. Where TensorFlow 1.15 runs, it has to
give them again: so the record is checked as well.
"""
import json
import os
import shutil
import sys

import numpy as np
import processes
import pytest
from oldtf import script_table

from legacy_towers.compat import keras, tf, versions

IS_1_15 = tf.__version__.startswith("1.15")
LAUNCHERS = {"plain": ["-B"], "ported": ["-B"], "run": ["-m", "legacy_towers", "run"]}


def recorded(script):
    with open(os.path.join(script_table.RECORDED, script.name, "losses.json")) as file:
        return json.load(file)


def prepared(script, folder):
    """Makes the script's training directory with the recorded beginning, and its data; returns both paths."""
    train, data = os.path.join(str(folder), "train"), os.path.join(str(folder), "data")
    shutil.copytree(os.path.join(script_table.RECORDED, script.name), train)
    with open(os.path.join(train, "checkpoint"), "w") as file:
        file.write('model_checkpoint_path: "model.ckpt-0"\nall_model_checkpoint_paths: "model.ckpt-0"\n')
    os.makedirs(data)
    if script.data is not None:
        script.data(data)
    return train, data


def launchers(script):
    """Returns how it is started: by `run`, and on TensorFlow 1.15 by plain Python too, then its port if it has one."""
    return (["ported" if script.ported else "plain"] if IS_1_15 else []) + ["run"]


CASES = [
    pytest.param(script, launcher, id="{}-{}".format(script.name, launcher))
    for script in script_table.SCRIPTS
    for launcher in launchers(script)
]


@pytest.mark.slow
@pytest.mark.parametrize("script, launcher", CASES)
def test_script_gives_the_losses_of_1_15(script, launcher, tmp_path):
    train, data = prepared(script, tmp_path)
    command = [sys.executable] + LAUNCHERS[launcher] + list(script.command(train, data, launcher == "ported"))
    done = processes.run(command, cwd=script_table.FOLDER)
    if "need the package tf_keras" in done.stderr:
        pytest.skip(keras.problem(versions.parse(tf.__version__)))
    assert done.returncode == 0, done.stderr
    expected = recorded(script)
    np.testing.assert_allclose(script_table.losses(done.stdout)[: len(expected)], expected, rtol=script_table.RELATIVE)
    assert len(expected) == script_table.STEPS
