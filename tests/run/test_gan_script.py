"""A script with GANEstimator under MirroredStrategy(num_gpus=2) has the losses of TensorFlow 1.14, from its checkpoint.

The checkpoint and the losses are those of TensorFlow 1.14:

    python tests/scripts/gan_estimator_towers.py --model_dir DIRECTORY
"""
import json
import os

import numpy as np
import preloaded
import processes
import pytest
from run import script_table, test_scripts

SCRIPT = script_table.Script("gan_estimator_towers", "gan_estimator_towers.py", ("--model_dir={train}",))


@pytest.mark.slow
@pytest.mark.needs_gan
@pytest.mark.needs_layers
def test_the_losses_are_those_of_1_14(tmp_path):
    train, data = test_scripts.prepared(SCRIPT, tmp_path)
    command = [preloaded.executable(), "-m", "legacy_towers", "run"] + list(SCRIPT.command(train, data))
    done = processes.run(command, cwd=script_table.FOLDER)
    assert done.returncode == 0, done.stderr
    with open(os.path.join(script_table.RECORDED, SCRIPT.name, "losses.json")) as file:
        expected = json.load(file)
    np.testing.assert_allclose(script_table.losses(done.stdout), expected, rtol=script_table.RELATIVE)
    assert "29 variables" in done.stdout
    if not test_scripts.IS_1_15:  # there TensorFlow's own soft placement applies
        assert "/gpu:1 are the logical CPU devices" in done.stderr
