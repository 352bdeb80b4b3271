"""A run goes on under another TensorFlow: the values of its checkpoints, its place in the data, and warm starts."""
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "other_version.py")
OTHER = os.environ.get("LEGACY_TOWERS_OTHER_PYTHON", "")


def run(*words):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        (OTHER, SCRIPT) + words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
    )
    assert done.returncode == 0, done.stdout.decode()
    with np.load(words[-1]) as loaded:
        return {name.replace("|", "/"): loaded[name] for name in loaded}


def check_restored(seen, values, left_out=()):
    """Checks that a session had, bit for bit, all values that another TensorFlow reads from the file."""
    names = [name[len("in the file "):] for name in values if name.startswith("in the file ")]
    assert {"layer/kernel", "layer/kernel/Adam_1", "scale/ExponentialMovingAverage", "mean", "beta1_power"} < set(names)
    for name in names:
        found = seen["in the session " + name]
        if name in left_out:
            assert found == 0
            continue
        wanted = values["in the file " + name]
        assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes()), name


@pytest.mark.slow
@pytest.mark.skipif(
    not os.path.exists(OTHER), reason="LEGACY_TOWERS_OTHER_PYTHON does not name a Python with another TensorFlow"
)
@pytest.mark.parametrize("name", ["feed", "dataset"])
def test_a_run_goes_on_under_another_tensorflow_and_back(name, tmp_path):
    spec = importlib.util.spec_from_file_location("other_version", SCRIPT)
    ours = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ours)
    directory = str(tmp_path / "run")
    first = ours.train(name, directory, 4)
    of_first = ours.read(os.path.join(directory, "model.ckpt-4"))
    second = run("train", name, directory, "8", str(tmp_path / "second.npz"))
    check_restored(second, of_first)
    third = ours.train(name, directory, 12)
    check_restored(third, second)
    of_second = ours.read(os.path.join(directory, "model.ckpt-8"))
    for key, value in of_second.items():
        np.testing.assert_array_equal(value, second[key])
    whole = ours.train(name, str(tmp_path / "whole"), 12)
    assert [str(part["note"]) for part in (second, third)] == ["", ""]
    for key, exactly in (("ids", True), ("losses", False)):
        resumed = np.concatenate([part[key] for part in (first, second, third)])
        np.testing.assert_allclose(resumed, whole[key], rtol=0 if exactly else 1e-5)
    # A new run with the values of the other one's checkpoint, in both directions.
    check_restored(ours.warm(os.path.join(directory, "model.ckpt-8")), second, ["global_step"])
    warm = run("warm", os.path.join(directory, "model.ckpt-4"), str(tmp_path / "warm.npz"))
    check_restored(warm, of_first, ["global_step"])
    assert sys.executable != OTHER
