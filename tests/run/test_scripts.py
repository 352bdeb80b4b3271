"""The unchanged scripts of tests/scripts have the same losses by `run` as by plain Python on TensorFlow 1.15.

The losses were recorded on TensorFlow 1.15, from a checkpoint of its initial values. With TensorFlow 1.15 plain Python
runs the ported scripts too, and one of the others, which checks the record.
"""
import json
import os
import shutil

import numpy as np
import preloaded
import processes
import pytest
from run import script_table

from legacy_towers.compat import tf
from legacy_towers.compat.versions import keras, supported

IS_1_15 = tf.__version__.startswith("1.15")
LAUNCHERS = {"plain": ["-B"], "ported": ["-B"], "run": ["-m", "legacy_towers", "run"]}


def recorded(script):
    with open(os.path.join(script_table.RECORDED, script.name, "losses.json")) as file:
        return json.load(file)


def prepared(script, folder):
    """Creates the script's training directory with the recorded checkpoint, and its data; returns both paths."""
    train, data = os.path.join(str(folder), "train"), os.path.join(str(folder), "data")
    shutil.copytree(os.path.join(script_table.RECORDED, script.name), train)
    with open(os.path.join(train, "checkpoint"), "w") as file:
        file.write('model_checkpoint_path: "model.ckpt-0"\nall_model_checkpoint_paths: "model.ckpt-0"\n')
    os.makedirs(data)
    if script.data is not None:
        script.data(data)
    return train, data


def launchers(script):
    """Returns the launchers of the script: `run`, and on TensorFlow 1.15 plain Python, for the ported script if any."""
    return (["ported" if script.ported else "plain"] if IS_1_15 else []) + ["run"]


CASES = [
    pytest.param(
        script, launcher, id="{}-{}".format(script.name, launcher),
        marks=[pytest.mark.recorded] if launcher == "plain" else [],
    )
    for script in script_table.SCRIPTS
    for launcher in launchers(script)
]


@pytest.mark.slow
@pytest.mark.parametrize("script, launcher", CASES)
def test_the_losses_of_a_script_are_those_of_1_15(script, launcher, tmp_path):
    train, data = prepared(script, tmp_path)
    command = [preloaded.executable()] + LAUNCHERS[launcher] + list(script.command(train, data, launcher == "ported"))
    done = processes.run(command, cwd=script_table.FOLDER)
    if "need the package tf_keras" in done.stderr:
        pytest.skip(keras.problem(supported.parse(tf.__version__)))
    assert done.returncode == 0, done.stderr
    expected = recorded(script)
    np.testing.assert_allclose(script_table.losses(done.stdout)[: len(expected)], expected, rtol=script_table.RELATIVE)
    assert len(expected) == script_table.STEPS
