"""A model that is exported by one TensorFlow and loaded by another, in a process without legacy_towers."""
import importlib.util
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from legacy_towers.cli.main import main
from legacy_towers.compat import tf

HERE = os.path.dirname(os.path.abspath(__file__))
OTHER = os.environ.get("LEGACY_TOWERS_OTHER_PYTHON", "")


@pytest.mark.slow
@pytest.mark.needs_layers
def test_exported_models_return_what_predict_writes(tmp_path, monkeypatch):
    """With averages, batch norm, a convolution, an embedding, a table with its file, tf.cond, a loop, two towers."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(os.path.join(HERE, "served_job.py"), str(tmp_path))
    assert main("train served_job.py --towers 2 --checkpoint-dir run".split()) == 0
    assert main("predict served_job.py --checkpoint-dir run --output expected.npz".split()) == 0
    assert main("export served_job.py --checkpoint-dir run --output models/1".split()) == 0
    exported, pythons = ["models/1"], [sys.executable]
    if os.path.exists(OTHER):
        run(OTHER, "-m", "legacy_towers", "export", "served_job.py", "--checkpoint-dir", "run", "--output", "models/2")
        exported, pythons = ["models/1", "models/2"], [sys.executable, OTHER]
    os.remove("words.txt")  # the file of the table is in the models
    write_inputs("inputs.npz")
    with np.load("expected.npz") as loaded:
        expected = {name: loaded[name] for name in loaded}
    for python in pythons:
        run(python, os.path.join(HERE, "load_saved_models.py"), "inputs.npz", "outputs.npz", *exported)
        with np.load("outputs.npz") as found:
            assert [found[name] for name in found if name.endswith(" error")] == []
            eager = not (python == OTHER or tf.__version__.startswith("1."))
            kinds = ("session", "eager") if eager else ("session",)
            assert sorted(found) == sorted(
                "{} {} {}".format(model, kind, name) for model in exported for kind in kinds for name in expected
            )
            for name in found:
                wanted = expected[name.split()[-1]]
                if wanted.dtype.kind == "f":
                    np.testing.assert_allclose(found[name], wanted, rtol=1e-5, atol=1e-6, err_msg=name)
                else:
                    np.testing.assert_array_equal(found[name], wanted, err_msg=name)


def write_inputs(path):
    spec = importlib.util.spec_from_file_location("served_job", "served_job.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    arrays = module.arrays()
    del arrays["label"]  # it is not an input of the exported model
    np.savez(path, **arrays)


def run(*words):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    assert done.returncode == 0, done.stdout.decode()
