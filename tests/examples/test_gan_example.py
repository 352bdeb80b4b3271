"""examples/gan.py: two parts in turns on several towers."""
import re

import numpy as np
import pytest


def test_the_turns_and_the_variables_of_each_part(load_example):
    import legacy_towers as lt

    gan = load_example("gan")
    step = lt.build_train_step(
        gan.model_fn,
        lt.inputs.synthetic(lt.Examples.from_arrays(gan.load_digits()), per_tower_batch_size=4),
        gan.parts(1e-3),
        lt.devices.cpus(2),
    )
    assert step.turns.schedule == ["discriminator"] * 5 + ["generator"]
    for name, part in step.parts.items():
        assert len(part.variables) == 6 and all(each.op.name.startswith(name + "/") for each in part.variables)


def test_it_trains_by_the_command_line(command, tmp_path):
    code, out, _ = command("train", "gan.py", "--towers", 2, "--steps", 7, "--checkpoint-dir", tmp_path)
    assert code == 0
    assert re.search(r"^trained 7 steps to a loss of -?\d", out, re.MULTILINE)
    code, out, _ = command("train", "gan.py", "--towers", 2, "--steps", 8, "--checkpoint-dir", tmp_path)
    assert code == 0
    assert "trained 1 step to" in out


@pytest.mark.slow
def test_the_samples_show_the_digits_asked_for(seeded, load_example, tmp_path):
    gan = load_example("gan")
    images, labels, before, after = gan.train(towers=4, steps=3000)
    assert before < 0.3 < 0.7 < after
    assert images.shape == (100, 64) and 0 <= images.min() and images.max() <= 1
    picture = gan.picture_of(images, columns=10)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    real = gan.load_digits()
    assert gan.share_recognized(real["image"][:50], real["label"][:50], real) == 1
    assert np.bincount(labels).tolist() == [10] * 10
