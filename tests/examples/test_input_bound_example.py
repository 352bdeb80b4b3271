"""examples/input_bound.py: its images, their augmentation, and training with every input pipeline."""
import os
import re

import numpy as np
import pytest


@pytest.fixture
def few(load_example, monkeypatch):
    """The example with 36 training images and 12 test images."""
    example = load_example("input_bound")
    monkeypatch.setattr(example, "COUNTS", {"train": 36, "test": 12})
    return example


def test_images_are_written_once_and_completely(few, tmp_path):
    (tmp_path / "train.part" / "rest").mkdir(parents=True)  # of an interrupted run
    few.write_pictures(str(tmp_path))
    assert sorted(os.listdir(str(tmp_path))) == ["test", "train"]
    for part, count in few.COUNTS.items():
        assert sorted(os.listdir(str(tmp_path / part))) == sorted(few.CLASSES)
        assert len(list((tmp_path / part).glob("*/*.jpg"))) == count
    kept = tmp_path / "test" / "cross-cold" / "kept"
    kept.write_bytes(b"x")
    few.write_pictures(str(tmp_path))
    assert kept.exists()


def test_an_image_shows_its_class(load_example):
    example = load_example("input_bound")
    for index in range(12):
        picture, kind = example.draw(index)
        again, _ = example.draw(index)
        np.testing.assert_array_equal(picture, again)
        red, blue = (picture[..., channel].astype(int) for channel in (0, 2))
        assert ("warm" in example.CLASSES[kind]) == (np.sum(red > 190) > np.sum(blue > 190))
    assert len(example.CLASSES) == 6


def test_examples_are_the_files_and_augmentation_is_deterministic(few, tmp_path):
    job = few.input_bound(data_dir=str(tmp_path))
    (one,), (other,) = (job.train.with_ids().numpy_batches(36, shuffle=False) for _ in range(2))
    np.testing.assert_array_equal(one["example"]["image"], other["example"]["image"])
    assert one["example"]["image"].shape == (36, 112, 112, 3)
    assert np.abs(one["example"]["image"]).max() <= 1.0
    for number, label in zip(one["id"], one["example"]["label"]):
        assert job.train.name_of(number).startswith(few.CLASSES[label] + "/")
    # Each image has its own crop, flip and brightness.
    draws = np.round(one["example"]["image"].mean(axis=(1, 2, 3)), 3)
    assert len(set(draws)) > 30
    (test,) = job.test.numpy_batches(12, shuffle=False)
    assert np.bincount(test["label"], minlength=6).tolist() == [2] * 6


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded"])
def test_training_with_every_input_pipeline(few, command, tmp_path, pipeline):
    few.write_pictures(str(tmp_path))
    code, out, _ = command(
        "train", "input_bound.py", "--data-dir", tmp_path, "--towers", 2, "--steps", 2, "--input", pipeline,
        "--per-tower-batch-size", 4,
    )  # fmt: skip
    assert code == 0
    assert re.search(r"^trained 2 steps to a loss of \d", out, re.MULTILINE)
    assert re.search(r"^test accuracy \d\.\d+, loss \d.* \(12 examples, step 2\)$", out, re.MULTILINE)


@pytest.mark.slow
def test_sixty_steps_on_four_towers_learn(load_example, seeded, command, tmp_path):
    code, out, _ = command("train", "input_bound.py", "--data-dir", tmp_path, "--towers", 4, "--steps", 60)
    assert code == 0
    assert float(re.search(r"^test accuracy (\d\.\d+).*\(120 examples", out, re.MULTILINE).group(1)) >= 0.5
