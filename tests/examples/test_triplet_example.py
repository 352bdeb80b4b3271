"""examples/triplet.py: its triplets, its loss against numpy, the script and the job."""
import re

import numpy as np
import pytest


@pytest.fixture
def triplet(load_example):
    return load_example("triplet")


def test_a_positive_is_another_image_of_the_digit_and_a_negative_is_of_another_digit(triplet):
    labels = np.array([0, 1, 2, 0, 1, 2, 0])
    images = np.arange(7, dtype=np.float32)[:, np.newaxis]  # an image shows its row number
    queries = np.tile(np.arange(7), 50)
    drawn = triplet.draw_triplets(images, labels, queries, np.random.RandomState(0))
    rows = {part: drawn[part][:, 0].astype(int) for part in drawn}
    np.testing.assert_array_equal(rows["query"], queries)
    assert np.all(labels[rows["positive"]] == labels[queries]) and np.all(rows["positive"] != queries)
    assert np.all(labels[rows["negative"]] != labels[queries])
    assert {(query, negative) for query, negative in zip(queries, rows["negative"]) if query == 0} == {
        (0, 1), (0, 2), (0, 4), (0, 5)
    }  # fmt: skip


def test_the_loss_matches_numpy_and_three_inputs_share_one_net(triplet):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    tf.set_random_seed(1)
    random = np.random.RandomState(0)
    batch = {part: random.rand(5, triplet.PIXELS).astype(np.float32) for part in triplet.PARTS}
    output = triplet.model_fn({part: tf.constant(batch[part]) for part in batch}, lt.EVAL)
    variables = {variable.op.name: variable for variable in tf.trainable_variables()}
    assert sorted(variables) == [
        "embedding/hidden/biases", "embedding/hidden/weights", "embedding/out/biases", "embedding/out/weights"
    ]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        weights, loss, right = session.run([variables, output.loss, output.metrics["right_order"]])

    def embed(images):
        hidden = images.dot(weights["embedding/hidden/weights"]) + weights["embedding/hidden/biases"]
        rows = np.maximum(hidden, 0).dot(weights["embedding/out/weights"]) + weights["embedding/out/biases"]
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    query, positive, negative = (embed(batch[part].astype(np.float64)) for part in ("query", "positive", "negative"))
    near, far = np.sum((query - positive) ** 2, axis=1), np.sum((query - negative) ** 2, axis=1)
    assert loss == pytest.approx(np.mean(np.maximum(0, near - far + triplet.MARGIN)), abs=1e-5)
    np.testing.assert_array_equal(right, near < far)


def test_dropout_follows_the_shared_keep_probability(triplet):
    from legacy_towers.compat import tf

    keep = tf.placeholder(tf.float32, [])
    embedded = triplet.embed(tf.ones([1, triplet.PIXELS]), keep)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first, second = (session.run(embedded, {keep: 1.0}) for _ in range(2))
        np.testing.assert_array_equal(first, second)
        assert np.any(session.run(embedded, {keep: 0.5}) != first)


@pytest.mark.parametrize("test_labels, share", [([3, 4], 1.0), ([3, 3], 0.5), ([4, 3], 0.0)])
def test_retrieval_accuracy(triplet, test_labels, share):
    train = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([3, 4])
    test = np.array([[0.8, 0.6], [-0.6, 0.8]]), np.array(test_labels)
    assert triplet.retrieval_accuracy({"train": train, "test": test}) == share


def test_the_script_trains_in_a_plain_session(triplet, capsys):
    assert triplet.main(["--towers", "2", "--steps", "3", "--per-tower-batch-size", "4"]) == 0
    out = capsys.readouterr().out
    assert "step 3/3  loss 0." in out
    assert re.search(r"^trained 3 steps to a loss of 0\.\d+, [\d,]+ examples/s over 2 towers$", out, re.MULTILINE)
    assert re.search(r"shows the same digit: 0\.\d+ \(untrained: 0\.\d+\)$", out, re.MULTILINE)


def test_zero_towers_is_an_error_in_one_line_and_exit_code_2(triplet, capsys):
    assert triplet.main(["--towers", "0"]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1 and errors[0].startswith("error: ") and "towers" in errors[0]


@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset"])
def test_training_the_job_with_input_pipelines(command, pipeline):
    code, out, _ = command("train", "triplet.py", "--towers", 2, "--steps", 3, "--input", pipeline)
    assert code == 0
    assert re.search(r"^trained 3 steps to a loss of 0\.\d", out, re.MULTILINE)
    assert re.search(r"^test loss 0\.\d+, right_order 0\.\d+ \(3600 examples, step 3\)$", out, re.MULTILINE)


@pytest.mark.slow
def test_four_towers_learn_to_retrieve(triplet, capsys):
    assert triplet.main(["--towers", "4", "--steps", "300"]) == 0
    found = re.search(r"same digit: (\d\.\d+) \(untrained: (\d\.\d+)\)$", capsys.readouterr().out, re.MULTILINE)
    trained, untrained = float(found.group(1)), float(found.group(2))
    assert trained > 0.96 and trained > untrained + 0.01
