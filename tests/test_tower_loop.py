"""A script like the TensorFlow tutorial's, ported by its import and average_gradients, trains to the same losses."""
import os
import re
import subprocess

import numpy as np
import preloaded
import pytest

from legacy_towers.compat import tf

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts", "tower_loop.py")
IMPORT = ("import tensorflow as tf\n", "from legacy_towers.compat import tf\n")
OWN_AVERAGE = re.compile(r"def average_gradients\(.*?\n(?=\n\ndef )", re.DOTALL)


def text():
    with open(SCRIPT) as script:
        return script.read()


def ported(own_average):
    """Returns the script with its import line changed and, unless `own_average`, its average_gradients replaced."""
    assert text().count(IMPORT[0]) == 1
    changed = text().replace(*IMPORT)
    if own_average:
        return changed
    changed, count = OWN_AVERAGE.subn("from legacy_towers import average_gradients\n", changed)
    assert count == 1 and "expand_dims" not in changed
    return changed


def losses_of(source, towers=4, steps=60):
    names = {"__name__": "script"}
    exec(compile(source, SCRIPT, "exec"), names)
    return names["train"](towers, steps)


def test_the_ported_script_trains_to_the_same_losses_as_with_its_own_average():
    own, new = losses_of(ported(own_average=True)), losses_of(ported(own_average=False))
    assert len(set(own)) > 50
    assert np.mean(new[-5:]) < 0.5 * new[0]
    np.testing.assert_allclose(new, own, rtol=1e-5)


@pytest.mark.skipif(not tf.__version__.startswith("1."), reason="the original script runs on TensorFlow 1 only")
def test_the_original_script_gives_the_same_losses():
    np.testing.assert_allclose(losses_of(ported(own_average=False)), losses_of(text()), rtol=1e-5)


def test_the_ported_script_runs(tmp_path):
    path = tmp_path / "ported.py"
    path.write_text(ported(own_average=False))
    done = subprocess.run(
        [preloaded.executable(), str(path)], cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8")[-2000:]
    first, last = re.search(r"loss ([\d.]+) -> ([\d.]+)", done.stdout.decode("utf-8")).groups()
    assert float(last) < 0.5 * float(first)
