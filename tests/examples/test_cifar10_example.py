"""examples/cifar10.py: the binary format, the generated files, and training, evaluation and predictions."""
import glob
import json
import os
import re
import subprocess

import numpy as np
import preloaded
import pytest

FOLDER = "cifar-10-batches-bin"
SIX = ["data_batch_{}.bin".format(number) for number in range(1, 6)] + ["test_batch.bin"]


@pytest.fixture
def cifar10(load_example):
    return load_example("cifar10")


@pytest.fixture
def files(load_example):
    return load_example("cifar10_files")


@pytest.fixture
def small_files(files, monkeypatch):
    """Files of the same format with 64 records each."""
    monkeypatch.setattr(files, "RECORDS_PER_FILE", 64)
    return files


def test_a_record_is_a_label_and_three_colour_planes(cifar10, tmp_path):
    import legacy_towers as lt

    # By the description of the format: label, then all reds, all greens, all blues, each row by row.
    labels = [7, 0]
    content = bytearray()
    for label in labels:
        content.append(label)
        for colour in range(3):
            for row in range(32):
                for column in range(32):
                    content.append((100 * colour + 3 * row + 5 * column + label) % 256)
    path = tmp_path / "data.bin"
    path.write_bytes(bytes(content))
    examples = lt.Examples.from_fixed_length(str(path), 3073, cifar10.parse, shuffle=False)
    assert examples.count() == 2
    batch = next(examples.numpy_batches(2))
    assert batch["label"].tolist() == labels and batch["label"].dtype == np.int32
    assert batch["image"].shape == (2, 32, 32, 3) and batch["image"].dtype == np.float32
    row, column, colour = np.meshgrid(np.arange(32), np.arange(32), np.arange(3), indexing="ij")
    for index, label in enumerate(labels):
        expected = (100 * colour + 3 * row + 5 * column + label) % 256
        np.testing.assert_allclose(batch["image"][index] * 255, expected, atol=1e-4)


def standardized(image):
    return (image - image.mean()) / max(image.std(), 1 / np.sqrt(image.size))


def test_the_test_images_are_center_crops(cifar10):
    from legacy_towers.compat import tf

    image = np.random.RandomState(0).rand(32, 32, 3).astype(np.float32)
    example = cifar10.centre({"image": tf.constant(image), "label": tf.constant(3)})
    assert example["image"].shape.as_list() == [24, 24, 3]
    with tf.Session() as session:
        found, label = session.run([example["image"], example["label"]])
    np.testing.assert_allclose(found, standardized(image[4:28, 4:28]), atol=1e-4)
    assert label == 3


def test_training_images_are_random_crops_with_flips(cifar10):
    from legacy_towers.compat import tf

    # Of a grey image: standardization undoes brightness and contrast, so that the crop can be recognized.
    grey = np.repeat(np.random.RandomState(0).rand(32, 32, 1).astype(np.float32), 3, axis=2)
    parts = {}
    for top in range(9):
        for left in range(9):
            part = standardized(grey[top:top + 24, left:left + 24])
            parts[top, left, False], parts[top, left, True] = part, part[:, ::-1]
    example = cifar10.distort({"image": tf.constant(grey), "label": tf.constant(3)})
    assert example["image"].shape.as_list() == [24, 24, 3]
    seen = []
    with tf.Session() as session:
        for _ in range(40):
            found = session.run(example["image"])
            seen.append(min(parts, key=lambda place: np.abs(parts[place] - found).max()))
            np.testing.assert_allclose(found, parts[seen[-1]], atol=1e-3)
    assert len(set(seen)) > 20
    assert {mirrored for _, _, mirrored in seen} == {False, True}


def test_generated_records_are_balanced_and_deterministic(files):
    records = files.generate_records(1500, seed=1)
    assert records.shape == (1500, 3073) and records.dtype == np.uint8
    assert np.bincount(records[:, 0]).tolist() == [150] * 10
    np.testing.assert_array_equal(files.generate_records(1500, seed=1), records)
    assert np.any(files.generate_records(1500, seed=2) != records)
    # The mean of a colour does not show the label: the means of the classes are close, relative to their spread.
    reds = records[:, 1:1025].mean(axis=1)
    means = [reds[records[:, 0] == label].mean() for label in range(10)]
    assert np.std(means) < 0.5 * reds.std()


def test_generated_files_have_the_sizes_of_the_archive(small_files, tmp_path, capsys):
    found = small_files.find_files(str(tmp_path), generate=True)
    folder = tmp_path / FOLDER
    assert [os.path.basename(path) for path in found.train] + [os.path.basename(found.test)] == SIX
    assert sorted(os.listdir(str(folder))) == sorted(SIX + ["batches.meta.txt"])
    assert {os.path.getsize(str(folder / name)) for name in SIX} == {64 * 3073}
    assert len({(folder / name).read_bytes() for name in SIX}) == 6
    assert os.listdir(str(tmp_path)) == [FOLDER]
    assert "generating 6 x 64 images" in capsys.readouterr().err
    assert small_files.find_files(str(tmp_path)) == found


def test_existing_files_are_never_overwritten(small_files, tmp_path, capsys):
    folder = tmp_path / FOLDER
    folder.mkdir()
    for name in SIX:
        (folder / name).write_bytes(b"\x01" * 64 * 3073)
    small_files.find_files(str(tmp_path), generate=True)
    assert "has files already: --generate does not change them" in capsys.readouterr().err
    assert {(folder / name).read_bytes() for name in SIX} == {b"\x01" * 64 * 3073}


def test_an_interrupted_generation_leaves_no_files(small_files, tmp_path, monkeypatch):
    generate = small_files.generate_records

    def interrupted(count, seed):
        if seed == 3:
            raise KeyboardInterrupt
        return generate(count, seed)

    monkeypatch.setattr(small_files, "generate_records", interrupted)
    with pytest.raises(KeyboardInterrupt):
        small_files.find_files(str(tmp_path), generate=True)
    assert os.listdir(str(tmp_path)) == []


def test_a_folder_that_cannot_be_written_is_an_error(small_files, tmp_path):
    from legacy_towers.errors import InputError

    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="^the images can't be written to .*file"):
        small_files.find_files(str(tmp_path / "file"), generate=True)


ABSENT = (
    "legacy-towers: error: there are no CIFAR-10 files in {folder}: download the binary version, "
    "cifar-10-binary.tar.gz, from the CIFAR-10 web page and extract it in {dir} (tar -xzf cifar-10-binary.tar.gz -C "
    "{dir}), or add --generate for generated images in files of the same format and size\n"
)
CUT_OFF = (
    "legacy-towers: error: {folder}/data_batch_2.bin has 30,000 bytes, but a file of CIFAR-10 has 30,730,000 (10,000 "
    "records of 3,073): it is truncated or another file; extract cifar-10-binary.tar.gz again, or remove it\n"
)
MISSING = (
    "legacy-towers: error: {folder}/test_batch.bin is missing among the files of CIFAR-10: extract "
    "cifar-10-binary.tar.gz again, or remove the other files of the folder\n"
)


@pytest.mark.parametrize("sizes, expected", [
    ({}, ABSENT),
    (dict({name: 30730000 for name in SIX}, **{"data_batch_2.bin": 30000}), CUT_OFF),
    ({name: 30730000 for name in SIX[:-1]}, MISSING),
], ids=["missing", "truncated", "one is missing"])
def test_unusable_files_are_an_error_in_one_line_and_exit_code_2(command, tmp_path, sizes, expected):
    folder = tmp_path / FOLDER
    folder.mkdir()
    for name, size in sizes.items():
        with open(str(folder / name), "wb") as stream:
            stream.truncate(size)
    code, out, errors = command("train", "cifar10.py", "--data-dir", tmp_path)
    assert (code, out) == (2, "")
    assert errors == expected.format(folder=folder, dir=tmp_path)


def test_the_script_reports_how_to_get_the_files(cifar10, tmp_path):
    process = subprocess.run(
        [preloaded.executable(), cifar10.__file__, "--data-dir", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, cwd=str(tmp_path),
    )  # fmt: skip
    assert process.returncode == 2
    assert "there are no CIFAR-10 files in " in process.stderr.splitlines()[-1]
    assert "Traceback" not in process.stderr


def test_a_towers_loss_is_its_cross_entropy_and_weight_decay(cifar10):
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.towers import replicate

    random = np.random.RandomState(0)
    batches = [
        {"image": tf.constant(random.rand(3, 24, 24, 3), tf.float32), "label": tf.constant([1, 9, tower])}
        for tower in range(2)
    ]
    towers = replicate(cifar10.model_fn, batches, ["/cpu:0", "/cpu:1"])
    weights = [variable for variable in tf.trainable_variables() if variable.op.name == "local3/weights"]
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        evaluated = [cifar10.model_fn(batch, lt.EVAL) for batch in batches]
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        session.run(tf.global_variables_initializer())
        losses, entropies, (values,) = session.run(
            [[tower.loss for tower in towers], [output.loss for output in evaluated], weights]
        )
    decay = 0.002 * np.sum(values.astype(np.float64) ** 2) / 2
    assert decay > 0.1
    np.testing.assert_allclose(losses, np.array(entropies) + decay, rtol=1e-5)


def summary_tags(directory):
    from legacy_towers.compat import tf

    events = [
        event
        for path in glob.glob(os.path.join(directory, "events.out.tfevents.*"))
        for event in tf.train.summary_iterator(path)
    ]
    return {value.tag for event in events for value in event.summary.value}


@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset"])
def test_it_trains_evaluates_and_predicts(command, small_files, tmp_path, pipeline):
    data = ["--data-dir", tmp_path / "data", "--generate"]
    run = ["--checkpoint-dir", tmp_path / "run"]
    size = ["--per-tower-batch-size", 8, "--towers", 2, "--steps", 3, "--input", pipeline]
    code, out, _ = command("train", "cifar10.py", *(data + run + size))
    assert code == 0
    assert re.search(r"^trained 3 steps to a loss of \d\.\d+, ", out, re.MULTILINE)
    tested = re.search(r"^test (accuracy .*) \(64 examples, step 3\)$", out, re.MULTILINE).group(1)
    tags = summary_tags(str(tmp_path / "run"))
    assert not [tag for tag in tags if "tower" in tag]
    assert {
        "conv1/activations", "conv1/sparsity", "conv2/activations", "conv2/sparsity", "local3/activations",
        "local3/sparsity", "local3/weight_decay", "logits/activations", "cross_entropy", "learning_rate",
        "training/loss",
    } <= tags  # fmt: skip
    code, out, _ = command("evaluate", "cifar10.py", *(data + run))
    assert code == 0 and tested in out
    code, out, _ = command("predict", "cifar10.py", *(data + run))
    predictions = [json.loads(line)["predictions"] for line in out.splitlines()]
    assert code == 0 and len(predictions) == 64
    for prediction in predictions:
        assert prediction["label"] == int(np.argmax(prediction["probabilities"]))
        assert sum(prediction["probabilities"]) == pytest.approx(1.0, abs=1e-4)


def test_the_trace_has_a_row_per_tower_and_the_overlap_is_printed(command, small_files, tmp_path):
    trace = tmp_path / "trace.json"
    code, out, _ = command(
        "train", "cifar10.py", "--data-dir", tmp_path, "--generate", "--towers", 2, "--steps", 2,
        "--per-tower-batch-size", 8, "--trace", trace,
    )  # fmt: skip
    assert code == 0
    assert re.search(r"^towers (overlapped|never overlapped) .* serial \(trace of step 2 in .*\)$", out, re.MULTILINE)
    events = json.loads(trace.read_text())["traceEvents"]
    groups = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert {"tower 0", "tower 1"} <= groups


@pytest.mark.slow
def test_training_on_files_of_full_size(seeded, command, tmp_path):
    code, out, errors = command(
        "train", "cifar10.py", "--data-dir", tmp_path, "--generate", "--towers", 2, "--steps", 150,
        "--trace", tmp_path / "trace.json",
    )  # fmt: skip
    assert code == 0
    assert {os.path.getsize(str(tmp_path / FOLDER / name)) for name in SIX} == {30730000}
    losses = [float(loss) for loss in re.findall(r"^step .*  loss (\d+\.\d+)", errors, re.MULTILINE)]
    assert losses[-1] < 0.75 * losses[0]
    assert "the loop is not serial (trace of step 10 in " in out
    accuracy = re.search(r"^test accuracy (\d\.\d+), loss .* \(10000 examples, step 150\)$", out, re.MULTILINE).group(1)
    assert float(accuracy) > 0.4  # chance is 0.1
