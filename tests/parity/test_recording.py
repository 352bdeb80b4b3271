"""The random operations of a job's forward pass in its record."""
import job_files
import pytest

from legacy_towers.parity.recording import Request, read_record, record

JOB = """
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def truncated_normal():
        return tf.raw_ops.ParameterizedTruncatedNormal(
            shape=[3], means=0.0, stdevs=1.0, minvals=-1.0, maxvals=1.0, name="drawn"
        )

    def distorted_box():
        boxes = tf.constant([[[0.0, 0.0, 1.0, 1.0]]])
        begin, _, _ = tf.image.sample_distorted_bounding_box([9, 9, 1], boxes, min_object_covered=0.1, name="drawn")
        return tf.cast(begin, tf.float32)

    def uniform():
        return tf.random_uniform([3], name="drawn")

    def stateless():
        return tf.random.stateless_uniform([3], seed=[1, 2], name="drawn")

    def generator():
        return tf.random.experimental.Generator.from_seed(3).uniform([3])

    def binomial():
        generator = tf.random.experimental.Generator.from_seed(3)
        # In a branch that isn't taken: TensorFlow 1.15 crashes after drawing binomial numbers.
        return tf.cond(
            tf.constant(False),
            lambda: generator.binomial([3], counts=[9.0] * 3, probs=[0.5] * 3, dtype=tf.float32),
            lambda: tf.ones([3]),
        )

    @lt.job
    def drawing(draw=""):
        def model_fn(batch, mode):
            w = tf.get_variable("w", [3], initializer=tf.ones_initializer())
            return lt.TowerOutput(loss=tf.reduce_mean(batch["x"] * w * globals()[draw]()))

        examples = lt.Examples.from_arrays({"x": np.ones([8, 3], np.float32)})
        return lt.Job(model_fn, examples, lambda step: tf.train.GradientDescentOptimizer(0.1), per_tower_batch_size=2)
"""


@pytest.mark.parametrize(
    "draw, expected",
    [
        ("truncated_normal", ["drawn"]),
        ("distorted_box", ["drawn"]),
        ("uniform", ["RandomUniform"]),
        ("binomial", ["binomial"]),
        ("stateless", []),
        ("generator", []),
    ],
)
def test_random_operations_of_the_forward_pass_are_recorded(tmp_path, draw, expected):
    path = job_files.write(tmp_path, "drawing.py", JOB)
    folder = tmp_path / "record"
    folder.mkdir()
    record(Request(path + ":drawing", {"draw": draw}, 1, "cpu", 2, 1, str(folder), None))
    found = read_record(str(folder))["random_ops"]
    assert [name.split("/")[-1] for name in found] == expected
