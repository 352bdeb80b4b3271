"""examples/digits.py: the files it writes, and training with every input pipeline."""
import os
import re

import numpy as np
import pytest

PIPELINES = ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded"]


def read(path, digits):
    import legacy_towers as lt

    return next(lt.Examples.from_tfrecords(path, digits.parse).numpy_batches(2000, shuffle=False))


def test_the_files_have_every_digit_once_and_every_fifth_is_a_test_image(load_example, tmp_path):
    from sklearn.datasets import load_digits

    digits = load_example("digits")
    paths = digits.write_files(str(tmp_path))
    train, test = read(paths["train"], digits), read(paths["test"], digits)
    assert test["id"].tolist() == list(range(0, 1797, 5))
    assert sorted(np.concatenate([train["id"], test["id"]])) == list(range(1797))
    real = load_digits()
    for part in (train, test):
        np.testing.assert_array_equal(part["image"][..., 0] * 16, real.images[part["id"]])
        np.testing.assert_array_equal(part["label"], real.target[part["id"]])


def test_existing_files_are_not_written_again(load_example, tmp_path):
    digits = load_example("digits")
    paths = digits.write_files(str(tmp_path))
    for path in paths.values():
        os.utime(path, (1, 1))
    assert digits.write_files(str(tmp_path)) == paths
    assert [os.path.getmtime(path) for path in paths.values()] == [1, 1]
    assert sorted(os.listdir(str(tmp_path))) == ["test.tfrecords", "train.tfrecords"]


@pytest.mark.parametrize("example", ["digits.py", "input_bound.py"])
def test_a_data_directory_that_does_not_exist_is_not_created(command, tmp_path, example):
    code, out, errors = command("train", example, "--data-dir", tmp_path / "mistyped")
    assert (code, out, os.listdir(str(tmp_path))) == (2, "", [])
    assert "--data-dir: there is no directory '{}': create it, and".format(tmp_path / "mistyped") in errors


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_training_with_every_input_pipeline(keras_layers, command, tmp_path, pipeline):
    code, out, _ = command(
        "train", "digits.py", "--data-dir", tmp_path, "--towers", 2, "--steps", 3, "--input", pipeline
    )  # fmt: skip
    assert code == 0
    assert re.search(r"^trained 3 steps to a loss of \d", out, re.MULTILINE)
    assert re.search(r"^test accuracy 0\.\d+, loss \d.* \(360 examples, step 3\)$", out, re.MULTILINE)


@pytest.mark.slow
def test_four_towers_reach_97_percent(keras_layers, seeded, command, tmp_path):
    code, out, _ = command("train", "digits.py", "--data-dir", tmp_path, "--towers", 4, "--input", "queue")
    assert code == 0
    assert float(re.search(r"^test accuracy (\d\.\d+).*\(360 examples", out, re.MULTILINE).group(1)) >= 0.97
