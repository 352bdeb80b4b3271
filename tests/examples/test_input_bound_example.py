"""examples/input_bound.py: the pictures it draws, what is changed in them, and training by every way in."""
import os
import re

import numpy as np
import pytest


@pytest.fixture
def few(load_example, monkeypatch):
    """The example with 36 pictures to train on and 12 for the test."""
    example = load_example("input_bound")
    monkeypatch.setattr(example, "COUNTS", {"train": 36, "test": 12})
    return example


def test_pictures_are_drawn_once_and_whole(few, tmp_path):
    (tmp_path / "train.part" / "rest").mkdir(parents=True)  # of a run that was broken off
    few.write_pictures(str(tmp_path))
    assert sorted(os.listdir(str(tmp_path))) == ["test", "train"]
    for part, count in few.COUNTS.items():
        assert sorted(os.listdir(str(tmp_path / part))) == sorted(few.CLASSES)
        assert len(list((tmp_path / part).glob("*/*.jpg"))) == count
    kept = tmp_path / "test" / "cross-cold" / "kept"
    kept.write_bytes(b"x")
    few.write_pictures(str(tmp_path))
    assert kept.exists()


def test_a_picture_shows_its_class(load_example):
    example = load_example("input_bound")
    for index in range(12):
        picture, kind = example.draw(index)
        again, _ = example.draw(index)
        np.testing.assert_array_equal(picture, again)
        red, blue = (picture[..., channel].astype(int) for channel in (0, 2))
        assert ("warm" in example.CLASSES[kind]) == (np.sum(red > 190) > np.sum(blue > 190))
    assert len(example.CLASSES) == 6


def test_examples_are_the_files_and_the_changes_come_again(few, tmp_path):
    job = few.input_bound(data_dir=str(tmp_path))
    (one,), (other,) = (job.train.numbered().numpy_batches(36, shuffle=False) for _ in range(2))
    np.testing.assert_array_equal(one["example"]["image"], other["example"]["image"])
    assert one["example"]["image"].shape == (36, 112, 112, 3)
    assert np.abs(one["example"]["image"]).max() <= 1.0
    for number, label in zip(one["id"], one["example"]["label"]):
        assert job.train.name_of(number).startswith(few.CLASSES[label] + "/")
    # Each picture is changed in its own way: no two share the place of the cut, the flip, the brightness.
    draws = np.round(one["example"]["image"].mean(axis=(1, 2, 3)), 3)
    assert len(set(draws)) > 30
    (test,) = job.test.numpy_batches(12, shuffle=False)
    assert np.bincount(test["label"], minlength=6).tolist() == [2] * 6


@pytest.mark.slow
@pytest.mark.parametrize("way", ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded"])
def test_it_trains_by_every_way_in(few, command, tmp_path, way):
    few.write_pictures(str(tmp_path))
    code, out, _ = command(
        "train", "input_bound.py", "--data-dir", tmp_path, "--towers", 2, "--steps", 2, "--input", way,
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
