"""The error for a key that a batch does not have, and batches with that error in tf.nest."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import BatchKeyError, InputError
from legacy_towers.towers.batch_keys import KeyedBatch, with_known_keys

BATCH = {"image": [1.0, 2.0], "label": 3}


def built(model_fn):
    images = np.ones([8, 2], np.float32)
    examples = lt.Examples.from_arrays({"image": images, "label": np.zeros([8], np.int64)})
    inputs = lt.inputs.dataset(examples, per_tower_batch_size=2)
    return lt.build_train_step(model_fn, inputs, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2))


def test_a_key_that_the_batch_does_not_have():
    with pytest.raises(KeyError) as caught:
        built(lambda batch, mode: lt.TowerOutput(loss=tf.reduce_mean(batch["imagee"])))
    assert isinstance(caught.value, BatchKeyError) and isinstance(caught.value, InputError)
    assert str(caught.value).startswith("the batch of tower 0 has no 'imagee' (test_batch_keys.py:")
    assert str(caught.value).endswith("): it has 'image' and 'label'")


def test_the_tower_is_the_one_that_reads_the_key():
    built_towers = []

    def model_fn(batch, mode):
        built_towers.append(mode)
        weight = tf.get_variable("w", [2])
        key = "image" if len(built_towers) == 1 else "x"
        return lt.TowerOutput(loss=tf.reduce_mean(batch[key] * weight))

    message = "^the batch of tower 1 has no 'x' [^:]*:[0-9]+.: it has 'image' and 'label'$"
    with pytest.raises(BatchKeyError, match=message):
        built(model_fn)


def test_keys_of_other_dicts_keep_their_error():
    with pytest.raises(KeyError) as caught:
        built(lambda batch, mode: {"rate": 0.1}["imagee"])
    assert not isinstance(caught.value, BatchKeyError)


def test_a_model_function_may_try_a_key():
    def model_fn(batch, mode):
        assert batch.get("mask") is None and "mask" not in batch
        try:
            image = batch["mask"]
        except KeyError:
            image = batch["image"]
        return lt.TowerOutput(loss=tf.reduce_mean(image * tf.get_variable("w", [2])))

    assert len(built(model_fn).towers) == 2


def test_nested_dicts():
    batch = with_known_keys({"words": {"left": 1}}, 3)
    with pytest.raises(BatchKeyError, match="^the batch of tower 3 has no 'right' [^:]*:[0-9]+.: it has 'left'$"):
        batch["words"]["right"]


@pytest.mark.parametrize("batch", [
    pytest.param((1, 2), id="tuple"), pytest.param(None, id="none"), pytest.param(lt.TowerOutput(loss=1), id="named"),
])
def test_other_structures_are_kept(batch):
    assert with_known_keys(batch, 0) is batch


def test_an_empty_batch():
    with pytest.raises(BatchKeyError, match="^the batch of tower 0 has no 'x' [^:]*:[0-9]+.: it has no key$"):
        with_known_keys({}, 0)["x"]


def test_nest_treats_it_as_a_dict():
    keyed = with_known_keys(dict(BATCH), 0)
    assert isinstance(keyed, dict) and keyed == BATCH
    assert tf.nest.flatten(keyed) == tf.nest.flatten(BATCH)
    tf.nest.assert_same_structure(keyed, BATCH)
    tf.nest.assert_same_structure(BATCH, keyed)
    mapped = tf.nest.map_structure(lambda value: value * 2, keyed)
    assert mapped == tf.nest.map_structure(lambda value: value * 2, BATCH)
    with pytest.raises(KeyError, match="^the batch has no 'x' [^:]*:[0-9]+.: it has 'image' and 'label'$"):
        mapped["x"]
    assert tf.nest.pack_sequence_as(keyed, [5, 6, 7]) == {"image": [5, 6], "label": 7}


def test_control_flow_and_datasets_take_it_as_a_dict():
    keyed = KeyedBatch(x=tf.constant([1.0, 2.0]))
    chosen = tf.cond(tf.constant(True), lambda: keyed, lambda: {"x": tf.zeros([2])})
    mapped = tf.map_fn(lambda row: row["x"] * 2, keyed, dtype=tf.float32)
    sliced = tf.data.Dataset.from_tensor_slices(keyed)
    with tf.Session() as session:
        assert session.run([chosen["x"], mapped]) [0].tolist() == [1.0, 2.0]
        assert session.run(mapped).tolist() == [2.0, 4.0]
        assert session.run(keyed) == {"x": pytest.approx([1.0, 2.0])}
        assert set(tf.data.get_output_types(sliced)) == {"x"}
