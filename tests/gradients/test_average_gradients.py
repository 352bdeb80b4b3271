"""average_gradients against numpy and against the loop of the TensorFlow tutorial."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients import average_gradients

RNG = np.random.RandomState(7)


def run(fetches):
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def variable(name, shape, dtype=tf.float32):
    return tf.get_variable(name, shape, dtype, initializer=tf.zeros_initializer(), use_resource=True)


def dense_gradients(variables, towers, dtype=np.float32):
    values = [[np.asarray(RNG.normal(size=v.shape.as_list()), dtype) for v in variables] for _ in range(towers)]
    tower_grads = []
    for index in range(towers):
        with tf.device("/cpu:{}".format(index)):
            # grappler could fold a constant, but not a placeholder_with_default.
            tower_grads.append(
                [(tf.placeholder_with_default(value, np.shape(value)), v) for value, v in zip(values[index], variables)]
            )
    return values, tower_grads


@pytest.mark.parametrize("towers", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_mean_matches_numpy(towers, dtype):
    variables = [variable("a", [3, 5], dtype), variable("b", [7], dtype), variable("c", [], dtype)]
    values, tower_grads = dense_gradients(variables, towers, dtype)
    averaged = average_gradients(tower_grads)
    assert [v for _, v in averaged] == variables
    for position, result in enumerate(run([g for g, _ in averaged])):
        expected = np.mean([values[k][position].astype(np.float64) for k in range(towers)], axis=0)
        np.testing.assert_allclose(result, expected, rtol=1e-6 if dtype is np.float32 else 1e-14, atol=1e-7)
        assert result.dtype == dtype


def test_weights_may_be_numbers():
    variables = [variable("a", [3, 5])]
    values, tower_grads = dense_gradients(variables, 3)
    ((gradient, _),) = average_gradients(tower_grads, weights=[5, 1, 0])
    expected = np.average([v[0] for v in values], axis=0, weights=[5, 1, 0])
    np.testing.assert_allclose(run(gradient), expected, rtol=1e-5)


def test_weights_may_be_tensors_and_all_zero():
    variables = [variable("a", [3, 5])]
    values, tower_grads = dense_gradients(variables, 2)
    counts = [tf.placeholder(tf.int32, []) for _ in range(2)]
    ((gradient, _),) = average_gradients(tower_grads, weights=counts)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        weighted = session.run(gradient, {counts[0]: 30, counts[1]: 2})
        nothing = session.run(gradient, {counts[0]: 0, counts[1]: 0})
    np.testing.assert_allclose(weighted, np.average([v[0] for v in values], axis=0, weights=[30, 2]), rtol=1e-5)
    np.testing.assert_array_equal(nothing, np.zeros([3, 5]))


def slices(values, indices, rows):
    return tf.IndexedSlices(tf.constant(values, tf.float32), tf.constant(indices), tf.constant([rows, 2]))


def test_sparse_gradients_stay_sparse_and_have_the_mean_of_dense_ones():
    table = variable("table", [6, 2])
    towers = [
        [(slices([[1, 2], [3, 4]], [0, 5], 6), table)],
        [(slices([[10, 20]], [5], 6), table)],
    ]
    ((gradient, _),) = average_gradients(towers)
    assert isinstance(gradient, tf.IndexedSlices)
    expected = np.zeros([6, 2])
    expected[0] = [0.5, 1]
    expected[5] = [6.5, 12]
    values, indices = run([gradient.values, gradient.indices])
    dense = np.zeros([6, 2])
    np.add.at(dense, indices, values)
    np.testing.assert_allclose(dense, expected)


def test_weighted_sparse_gradients_with_two_index_dtypes():
    table = variable("table", [6, 2])
    first = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1], tf.int64), tf.constant([6, 2]))
    ((gradient, _),) = average_gradients([[(first, table)], [(slices([[4, 4]], [1], 6), table)]], weights=[3, 1])
    values, indices = run([gradient.values, gradient.indices])
    np.testing.assert_allclose(values[indices == 1].sum(axis=0), [1.75, 1.75])


def test_a_gradient_missing_in_every_tower_stays_none():
    used, unused = variable("used", [2]), variable("unused", [2])
    averaged = average_gradients([[(tf.ones([2]), used), (None, unused)]] * 2)
    assert averaged[1] == (None, unused)
    np.testing.assert_array_equal(run(averaged[0][0]), [1, 1])


def test_the_error_for_a_gradient_missing_in_some_towers_names_them():
    w = variable("fc/w", [2])
    towers = [[(tf.ones([2]), w)], [(tf.ones([2]), w)], [(None, w)], [(tf.ones([2]), w)]]
    with pytest.raises(TowerError, match=r"tower 2 has no gradient for 'fc/w' \(towers 0, 1 and 3 have one\)"):
        average_gradients(towers)


def test_on_missing_zeros():
    w, table = variable("w", [2]), variable("table", [6, 2])
    towers = [[(tf.ones([2]), w), (slices([[4, 4]], [1], 6), table)], [(None, w), (None, table)]]
    (dense, _), (sparse, _) = average_gradients(towers, on_missing="zeros")
    assert isinstance(sparse, tf.IndexedSlices)
    np.testing.assert_array_equal(run(dense), [0.5, 0.5])
    np.testing.assert_array_equal(run(tf.convert_to_tensor(sparse))[1], [2, 2])


def test_on_missing_drop():
    w = variable("w", [2])
    assert average_gradients([[(tf.ones([2]), w)], [(None, w)]], on_missing="drop") == [(None, w)]


def test_pairs_may_be_an_iterator():
    variables = [variable("a", [3]), variable("b", [2])]
    values, tower_grads = dense_gradients(variables, 2)
    zipped = (zip([g for g, _ in pairs], [v for _, v in pairs]) for pairs in tower_grads)
    averaged = average_gradients(zipped)
    assert [v for _, v in averaged] == variables
    np.testing.assert_allclose(run(averaged[0][0]), (values[0][0] + values[1][0]) / 2, rtol=1e-6)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
@pytest.mark.parametrize("towers", [1, 2])
def test_weights_keep_the_gradients_dtype(dtype, towers):
    w = variable("w", [2], dtype)
    pairs = [[(tf.cast(tf.fill([2], 4.0 * (k + 1)), dtype), w)] for k in range(towers)]
    counts = [tf.placeholder_with_default(3, []), tf.placeholder_with_default(1, [])][:towers]
    ((gradient, _),) = average_gradients(pairs, weights=counts)
    assert gradient.dtype == dtype
    np.testing.assert_array_equal(run(tf.cast(gradient, tf.float32)), [4.0 if towers == 1 else 5.0] * 2)


def test_sums_are_distributed_over_the_towers_devices():
    variables = [variable("v{}".format(i), [8]) for i in range(4)]
    _, tower_grads = dense_gradients(variables, 4)
    devices = {gradient.device for gradient, _ in average_gradients(tower_grads)}
    assert len(devices) == 4


def test_the_graph_has_no_stacked_gradients(fresh_graph):
    variables = [variable("a", [3, 5])]
    _, tower_grads = dense_gradients(variables, 4)
    before = set(fresh_graph.get_operations())
    average_gradients(tower_grads)
    made = {op.type for op in fresh_graph.get_operations() if op not in before}
    assert made <= {"AddN", "Mul", "Const"}


def bad_calls():
    def names_differ():
        a, b = variable("a", [2]), variable("b", [2])
        return average_gradients([[(tf.ones([2]), a)], [(tf.ones([2]), b)]])

    def sparse_and_dense():
        table = variable("table", [6, 2])
        return average_gradients([[(slices([[1, 1]], [0], 6), table)], [(tf.ones([6, 2]), table)]])

    def one_weight():
        w = variable("w", [2])
        return average_gradients([[(tf.ones([2]), w)]] * 2, weights=[1])

    def zero_weights():
        w = variable("w", [2])
        return average_gradients([[(tf.ones([2]), w)]] * 2, weights=[0, 0])

    def flat_list():
        w = variable("w", [2])
        return average_gradients([(tf.ones([2]), w)])

    def wrong_shape():
        w = variable("w", [2])
        return average_gradients([[(tf.ones([2]), w)], [(tf.ones([3]), w)]])

    def wrong_dtype():
        w = variable("w", [2])
        return average_gradients([[(tf.ones([2], tf.float64), w)]])

    def numpy_gradient():
        w = variable("w", [2])
        return average_gradients([[(np.ones([2], np.float32), w)]])

    def nan_weights():
        w = variable("w", [2])
        return average_gradients([[(tf.ones([2]), w)]] * 2, weights=[1.0, float("nan")])

    def weights_of(weights):
        def weighted():
            w = variable("w", [2])
            return average_gradients([[(tf.ones([2]), w)]] * 2, weights=weights)

        return weighted

    def unknown_policy():
        w = variable("w", [2])
        return average_gradients([[(tf.ones([2]), w)]], on_missing="ignore")

    return [
        (names_differ, TowerError, "tower 1 has gradients for 'b', tower 0 does not; tower 1 has none for 'a'"),
        (sparse_and_dense, TowerError, r"'table' is sparse in towers \[0\] and dense in towers \[1\]"),
        (one_weight, ArgumentError, "1 weights for 2 towers"),
        (zero_weights, ArgumentError, "their sum more than 0"),
        (nan_weights, ArgumentError, "each must be finite and at least 0"),
        (weights_of(["a", "b"]), ArgumentError, r"weights is \['a', 'b'\]: pass a number or a scalar tensor per tower"),
        (weights_of(2.0), ArgumentError, "weights is 2.0: pass a list with a number"),
        (weights_of(tf.constant([1.0, 2.0])), ArgumentError, "weights is .*: pass a list with a number"),
        (flat_list, ArgumentError, "gradients of tower 0 must be a list of .gradient, variable. pairs"),
        (wrong_shape, TowerError, r"tower 1 for 'w' is float32 of shape \(3,\), but the variable is float32 of"),
        (wrong_dtype, TowerError, "gradient of tower 0 for 'w' is float64 of shape"),
        (numpy_gradient, TowerError, "gradient of tower 0 for 'w' is a ndarray, not a tensor"),
        (unknown_policy, ArgumentError, "on_missing is 'ignore': allowed are 'error', 'zeros', 'drop'"),
        (lambda: average_gradients([]), ArgumentError, "list of towers' gradients is empty"),
    ]


@pytest.mark.parametrize("call, error, message", bad_calls(), ids=lambda value: getattr(value, "__name__", None))
def test_invalid_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
