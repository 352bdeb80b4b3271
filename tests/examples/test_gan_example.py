"""examples/gan.py: two alternating objectives on several towers."""
import re

import numpy as np
import pytest


def test_alternation_and_the_variables_of_each_objective(load_example):
    import legacy_towers as lt

    gan = load_example("gan")
    step = lt.build_train_step(
        gan.model_fn,
        lt.inputs.synthetic(lt.Examples.from_arrays(gan.load_digits()), per_tower_batch_size=4),
        gan.objectives(1e-3),
        lt.devices.cpus(2),
    )
    assert step.schedule.order == ["discriminator"] * 5 + ["generator"]
    for name, objective in step.objectives.items():
        names = [each.op.name for each in objective.variables]
        assert len(names) == 6 and all(each.startswith(name + "/") for each in names)


def test_training_with_the_command_line(command, tmp_path):
    code, out, _ = command("train", "gan.py", "--towers", 2, "--steps", 7, "--checkpoint-dir", tmp_path)
    assert code == 0
    assert re.search(r"^trained 7 steps to a loss of -?\d", out, re.MULTILINE)
    code, out, _ = command("train", "gan.py", "--towers", 2, "--steps", 8, "--checkpoint-dir", tmp_path)
    assert code == 0
    assert "trained 1 step to" in out


@pytest.mark.slow
def test_the_samples_show_the_requested_digits(seeded, load_example, tmp_path):
    gan = load_example("gan")
    images, labels, before, after = gan.train(towers=4, steps=3000)
    assert before < 0.3 < 0.7 < after
    assert images.shape == (100, 64) and 0 <= images.min() and images.max() <= 1
    picture = gan.picture_of(images, columns=10)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    real = gan.load_digits()
    assert gan.fraction_recognized(real["image"][:50], real["label"][:50], real) == 1
    assert np.bincount(labels).tolist() == [10] * 10
