"""Wrong use that would pass in silence: a warning or an error when the step is built."""
import warnings

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import InputError, TowerError
from legacy_towers.inputs.named import make_pipeline


def model_fn(batch, mode):
    return lt.TowerOutput(loss=tf.reduce_mean((batch["x"] - tf.get_variable("w", [1])) ** 2))


def without_gradient(batch, mode):
    tf.get_variable("w", [1])
    return lt.TowerOutput(loss=tf.reduce_mean(batch["x"]))


def build(pipeline="feed", size=2, model=model_fn, devices=("/cpu:0", "/cpu:1"), **options):
    examples = lt.Examples.from_arrays({"x": np.zeros([10, 1], np.float32)})
    source = make_pipeline(pipeline, examples, per_tower_batch_size=size)
    with tf.Graph().as_default(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lt.build_train_step(model, source, tf.train.GradientDescentOptimizer(0.1), list(devices), **options)
    return [str(each.message) for each in caught if "towers" in str(each.message) or "each step" in str(each.message)]


@pytest.mark.parametrize("pipeline", ["feed", "feed:background", "queue", "dataset:split", "staged+dataset:sharded"])
def test_a_step_larger_than_the_data_is_a_warning(pipeline):
    assert build(pipeline, size=6) == [
        "each step takes 12 examples, and arrays (x) has 10: an example is several times in a step"
    ]
    assert build(pipeline, size=5) == []


def test_towers_on_one_device_are_a_warning():
    assert build(devices=["/cpu:0", "/cpu:1", "/cpu:0"]) == [
        "towers 0 and 2 share the device '/cpu:0', so that they wait for each other"
    ]


@pytest.mark.parametrize("options", [
    {"on_missing": "zeros"}, {"on_missing": "drop"}, {"on_missing": "zeros", "variables": "replicated"},
    {"on_missing": "zeros", "variables": "asynchronous"},
])
def test_a_loss_that_depends_on_no_variable_is_an_error(options):
    pipeline = "queue" if options.get("variables") == "asynchronous" else "feed"
    with pytest.raises(TowerError, match="no variable has a gradient, .* the loss depends on none of 'w'"):
        build(pipeline, model=without_gradient, **options)


@pytest.mark.parametrize("array, message", [
    (np.array([1.0, 2.0], dtype=object), "an array of Python objects has 1.0 at position 0: an object array can have"),
    (np.array(["a", None], dtype=object), "an array of Python objects has None at position 1"),
    (np.array(["2020-01-01"], dtype="M8[D]"), r"the dtype datetime64\[D\], which TensorFlow does not have"),
])
def test_arrays_that_tensorflow_does_not_have_are_an_error(array, message):
    with pytest.raises(InputError, match=message):
        lt.Examples.from_arrays({"x": array})
