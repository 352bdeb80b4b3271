"""Lists that a parse or map function returns, in every input pipeline."""
import numpy as np
import pytest

from legacy_towers.compat import tf


@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset:split"])
@pytest.mark.parametrize("kind", ["tfrecords", "arrays"])
def test_a_list_of_tensors_is_structure_and_a_list_of_numbers_data(pipeline, kind, sources, make_input, drive, cpus):
    examples = sources(kind).map(lambda example: [example["id"], {"same": [example["id"], [example["part"]["x"]]]}])
    # The next function gets a tuple.
    examples = examples.map(
        lambda pair: {"pair": list(pair), "scale": [0.5, 2.0], "one": 1, "kind": type(pair).__name__}
    )
    batches = make_input(pipeline, examples, per_tower_batch_size=4, order="fixed").build(cpus[:2])
    (step,) = drive(batches, steps=1)
    for tower, first in zip(step, (0, 4)):
        ids = np.arange(first, first + 4)
        number, below = tower["pair"]
        assert isinstance(batches.per_tower[0]["pair"], tuple)
        assert isinstance(batches.per_tower[0]["pair"][1]["same"], tuple)
        np.testing.assert_array_equal(number, ids)
        np.testing.assert_array_equal(below["same"][0], ids)
        np.testing.assert_array_equal(below["same"][1][0], np.stack([ids, ids / 2, -ids], axis=1))
        assert tower["scale"].tolist() == [[0.5, 2.0]] * 4
        assert tower["one"].tolist() == [1] * 4
        assert tower["kind"].tolist() == [b"tuple"] * 4


@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset"])
def test_a_sparse_leaf_in_a_list(pipeline, sources, make_input, cpus):
    from legacy_towers.errors import InputError

    examples = sources("arrays").map(
        lambda example: [example["id"], tf.SparseTensor([[0]], tf.reshape(example["id"], [1]), [3])]
    )
    if pipeline == "dataset":
        batch = make_input(pipeline, examples, per_tower_batch_size=4).build(cpus[:1]).per_tower[0]
        assert isinstance(batch, tuple) and isinstance(batch[1], tf.SparseTensor)
        return
    with pytest.raises(InputError, match="component '1' is a "):
        make_input(pipeline, examples, per_tower_batch_size=4).build(cpus)
