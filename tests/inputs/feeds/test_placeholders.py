"""Placeholders of towers: accepted values, and errors before a session run."""
import numpy as np
import pytest


@pytest.fixture
def triplet():
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    spec = {
        "query": tf.TensorSpec([None, 4], tf.float32),
        "pair": (tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.string)),
        "mask": tf.TensorSpec([None], tf.bool),
    }
    shared = {"on_train": tf.TensorSpec([], tf.bool), "keep": tf.TensorSpec([], tf.float32)}
    return inputs.tower_placeholders(spec, towers=2, shared=shared)


SHARED = {"on_train": True, "keep": 0.5}


def batch(count=3, **changes):
    values = {
        "query": np.ones([count, 4], np.float32),
        "pair": (np.arange(count, dtype=np.int32), np.array(["a"] * count)),
        "mask": np.ones([count], np.bool_),
    }
    values.update(changes)
    return {key: value for key, value in values.items() if value is not None}


def test_names_of_placeholders_and_fed_values(triplet):
    from legacy_towers.compat import tf

    assert triplet.per_tower[1]["query"].name == "tower_1/query:0"
    assert triplet.per_tower[0]["pair"][1].name == "tower_0/pair/1:0"
    assert triplet.shared["keep"].name == "shared/keep:0"
    feed = triplet.feed_dict(per_tower=[batch(5), batch(5)], shared=SHARED)
    with tf.Session() as session:
        # Through identities: a session returns fed values as they are, without running an operation.
        identities = tf.nest.map_structure(tf.identity, [triplet.per_tower, triplet.shared])
        per_tower, shared = session.run(identities, feed)
    assert [len(tower["query"]) for tower in per_tower] == [5, 5]
    assert per_tower[1]["pair"][1].tolist() == [b"a"] * 5
    assert shared == SHARED
    with tf.name_scope("tower_0") as scope:
        assert scope == "tower_0/"


def test_placeholders_in_a_scope_and_on_devices():
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    with tf.name_scope("net"):
        made = inputs.tower_placeholders(tf.TensorSpec([2], tf.int32), 2, devices=["/cpu:0", "/cpu:1"])
    assert [one.name for one in made.per_tower] == ["net/tower_0/batch:0", "net/tower_1/batch:0"]
    assert [one.device[-5:] for one in made.per_tower] == ["CPU:0", "CPU:1"]


def test_a_global_batch_is_split_in_order(triplet):
    whole = batch(6, query=np.arange(24, dtype=np.float32).reshape(6, 4))
    feed = triplet.feed_dict(global_batch=whole, shared=SHARED)
    for tower in range(2):
        fed = feed[triplet.per_tower[tower]["query"]]
        np.testing.assert_array_equal(fed, whole["query"][3 * tower:3 * tower + 3])
        assert fed.base is whole["query"] or np.shares_memory(fed, whole["query"])  # no copy


GOOD = [
    ("float64 narrows as in TensorFlow", {"query": np.ones([3, 4], np.float64)}),
    ("float16 widens", {"query": np.ones([3, 4], np.float16)}),
    ("Python integers are floats too", {"query": [[1, 2, 3, 4]] * 3}),
    ("int64 that fits int32", {"pair": (np.arange(3), ["a", "b", "c"])}),
    ("uint8 fits int32", {"pair": (np.arange(3, dtype=np.uint8), [b"a", b"b", b"c"])}),
    ("Python integers", {"pair": ([1, 2, 3], np.array(["a", "b", "c"], object))}),
    ("Python booleans", {"mask": [True, False, True]}),
]


@pytest.mark.parametrize("changes", [case for _, case in GOOD], ids=[name for name, _ in GOOD])
def test_values_that_are_converted_without_loss(changes, triplet):
    from legacy_towers.compat import tf

    feed = triplet.feed_dict(per_tower=[batch(), batch(**changes)], shared=SHARED)
    with tf.Session() as session:
        session.run(tf.nest.map_structure(tf.identity, [triplet.per_tower, triplet.shared]), feed)


BAD = [
    ({"query": np.ones([3, 5], np.float32)},
     "tower 1, component 'query': the placeholder has the shape (?, 4), got a value of shape (3, 5)"),
    ({"query": np.ones([4], np.float32)},
     "tower 1, component 'query': the placeholder has the shape (?, 4), got a value of shape (4,)"),
    ({"query": np.ones([3, 4], np.int64)},
     "tower 1, component 'query': the placeholder has the type float32, got int64; con"),
    ({"query": np.ones([3, 4], np.uint8)}, "component 'query': the placeholder has the type float32, got uint8"),
    ({"query": np.ones([3, 4], np.bool_)}, "component 'query': the placeholder has the type float32, got bool"),
    ({"query": np.ones([3, 4], np.complex64)},
     "component 'query': the placeholder has the type float32, got complex64"),
    ({"query": [[1.0], [1.0, 2.0]]}, "tower 1, component 'query': "),
    ({"query": [["a"] * 4]}, "component 'query': the placeholder has the type float32, got string"),
    ({"query": None}, "tower 1: component 'query' is missing"),
    ({"extra": np.ones(3)}, "tower 1: component 'extra' is unknown: the components are 'query', 'pair', 'mask'"),
    ({"pair": (np.ones(3, np.float32), ["a"] * 3)},
     "component 'pair/0': the placeholder has the type int32, got float32"),
    ({"pair": ([1.5, 2.0, 3.0], ["a"] * 3)}, "component 'pair/0': the placeholder has the type int32, got float64"),
    ({"pair": (np.array([1, 2, 2 ** 40]), ["a"] * 3)}, "component 'pair/0': 1099511627776 is out of range for int32"),
    ({"pair": (np.arange(3), np.arange(3))}, "component 'pair/1': the placeholder has the type string, got int64"),
    ({"pair": (np.arange(3),)}, "tower 1: component 'pair' must be a tuple of 2 components, got 1"),
    ({"pair": 7}, "tower 1: component 'pair' must be a tuple of 2 components, got int"),
    ({"query": np.array([], object)},
     "tower 1, component 'query': the placeholder has the type float32, got an empty array of Python objects"),
    ({"query": np.array([["2020-01-01"] * 4] * 3, "datetime64[D]")},
     "component 'query': the placeholder has the type float32, got datetime64[D]"),
    ({"pair": (np.zeros(3, [("a", np.int32)]), ["a"] * 3)},
     "tower 1, component 'pair/0': the placeholder has the type int32, got void32"),
    ({"mask": np.ones(3, np.int32)}, "component 'mask': the placeholder has the type bool, got int32"),
]


@pytest.mark.parametrize("changes, message", BAD, ids=[message[:60] for _, message in BAD])
def test_errors_name_the_tower_and_the_component(changes, message, triplet):
    from legacy_towers.errors import InputError

    with pytest.raises(InputError) as raised:
        triplet.feed_dict(per_tower=[batch(), batch(**changes)], shared=SHARED)
    assert message in str(raised.value)


CALLS = [
    (dict(per_tower=[batch()], shared=SHARED),
     "values for 1 tower are given, but there are placeholders for 2: tower 1 is missing"),
    (dict(per_tower=[batch()] * 3, shared=SHARED), "values for 3 towers are given, but there are placeholders for 2"),
    (dict(per_tower=[batch(3), batch(5)], shared=SHARED), "tower 1, component 'query' has 5 rows, but tower 0 h"),
    (dict(per_tower=[batch(), np.ones(3)], shared=SHARED), "tower 1: the batch must be a dict of 'query', 'pair', "),
    (dict(global_batch=batch(5), shared=SHARED), "component 'query': 5 examples can't be split among 2 towers"),
    (dict(global_batch=batch(6, mask=True), shared=SHARED), "component 'mask': a scalar can't be split"),
    (dict(global_batch=batch(6, mask=None), shared=SHARED), "global batch: component 'mask' is missing"),
    (dict(global_batch=batch(6)), "shared: component 'on_train' is missing"),
    (dict(global_batch=batch(6), shared={"on_train": 1, "keep": 0.5}),
     "shared, component 'on_train': the placeholder has the type bool, got int64"),
    (dict(global_batch=batch(6), shared={"on_train": True, "keep": [0.5]}),
     "component 'keep': the placeholder has the shape (), got a value of shape (1,)"),
    (dict(shared=SHARED), "exactly one of per_tower and global_batch"),
]


@pytest.mark.parametrize("call, message", CALLS, ids=[message[:50] for _, message in CALLS])
def test_errors_of_feed_dict_arguments(call, message, triplet):
    from legacy_towers.errors import InputError

    with pytest.raises(InputError) as raised:
        triplet.feed_dict(**call)
    assert message in str(raised.value)


def test_feeding_a_tensor_is_an_error(triplet):
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    with pytest.raises(InputError, match="tower 0, component 'query': a tensor can't be fed, only its value: ones:0"):
        triplet.feed_dict(per_tower=[batch(query=tf.ones([3, 4], name="ones")), batch()], shared=SHARED)


def test_tower_placeholders_need_tensor_specs():
    from legacy_towers import inputs
    from legacy_towers.errors import ArgumentError

    with pytest.raises(ArgumentError, match="component 'x' must be a tf.TensorSpec"):
        inputs.tower_placeholders({"x": "float32"}, 2)
    with pytest.raises(ArgumentError, match="towers must be a whole number of at least 1, got 0"):
        inputs.tower_placeholders({}, 0)


def test_an_empty_batch_is_valid(triplet):
    feed = triplet.feed_dict(per_tower=[batch(0, pair=([], np.array([], "S1")))] * 2, shared=SHARED)
    assert feed[triplet.per_tower[1]["query"]].shape == (0, 4)


def test_a_list_of_specs_is_structure_and_a_list_of_numbers_data():
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    made = inputs.tower_placeholders([tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.int32)], 2)
    assert [type(tower) for tower in made.per_tower] == [list, list]
    feed = made.feed_dict(global_batch=[[[1, 2], [3, 4]], [5, 6]])
    assert feed[made.per_tower[1][0]].tolist() == [[3, 4]] and feed[made.per_tower[1][1]].tolist() == [6]


def test_towers_of_different_structure_are_an_error():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    one = tf.placeholder(tf.float32, [None])
    with pytest.raises(InputError, match="tower 1's placeholders differ from tower 0's: the batch must be a list of 2"):
        inputs.TowerPlaceholders([[one, one], [one]])
    with pytest.raises(InputError, match="tower 1 must be a placeholder, got list"):
        inputs.TowerPlaceholders([one, [one]])
