"""mean, sum and tree: values, devices, plan texts and errors, with exact numbers."""
import numpy as np
import pytest

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import GradientRow, ReductionContext, TowerGradients
from legacy_towers.gradients.reduce import prepare

CPUS = ["/cpu:{}".format(index) for index in range(4)]


def short(device):
    """Returns "/cpu:2" for "/device:CPU:2"."""
    return "/cpu:{}".format(tf.DeviceSpec.from_string(device).device_index)


def run(fetches):
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def shared(name="v", shape=(3,), device="/cpu:0"):
    with tf.device(device):
        return tf.get_variable(name, shape, tf.float64, tf.zeros_initializer(), use_resource=True)


def of_towers(variables, towers):
    """Returns per tower (gradient, variable) pairs: gradients of tower k are 10 ** k, on its device."""
    made = []
    for tower in range(towers):
        with tf.device(CPUS[tower % 4]):
            made.append([(tf.fill(v.shape, tf.constant(10.0**tower, tf.float64)), v) for v in variables])
    return made


@pytest.mark.parametrize(
    "reduction, weights, expected",
    [
        (reductions.mean(), None, 277.75),
        (reductions.mean(), [1, 1, 0, 2], (1 + 10 + 2000) / 4.0),
        (reductions.tree(), None, 277.75),
        (reductions.tree(), [1, 1, 0, 2], (1 + 10 + 2000) / 4.0),
        (reductions.sum(), None, 1111),
        (reductions.sum(), [1, 1, 0, 2], 1011),
        (reductions.tree(combine="sum"), None, 1111),
        (reductions.tree(combine="sum"), [1, 1, 0, 2], 1011),
    ],
    ids=str,
)
def test_values(reduction, weights, expected):
    reduced = reductions.reduce_gradients(of_towers([shared()], 4), reduction, CPUS, weights)
    assert run(reduced.rows[0].gradients[0]).tolist() == [expected] * 3


# Sizes 9 4 3 6 5, the largest first, each on the least loaded device.
ON = {
    "spread": ("spread", [0, 3, 3, 1, 2]),
    "variable": ("variable", [3, 2, 1, 0, 3]),
    "one device": ("/cpu:2", [2] * 5),
    "two devices": (["/cpu:1", "/cpu:3"], [1, 1, 3, 3, 3]),
}


@pytest.mark.parametrize("case", sorted(ON))
@pytest.mark.parametrize("make", [reductions.mean, reductions.sum, reductions.tree], ids=lambda make: make.__name__)
def test_each_sum_runs_on_the_given_device(make, case):
    """The devices are read from TensorFlow's record of the run."""
    on, numbers = ON[case]
    expected = [CPUS[number] for number in numbers]
    sizes = [9, 4, 3, 6, 5]
    homes = ["/cpu:3", "/cpu:2", "/cpu:1", "/cpu:0", "/cpu:3"]
    variables = [shared("v{}".format(size), [size], home) for size, home in zip(sizes, homes)]
    reduced = reductions.reduce_gradients(of_towers(variables, 4), make(on=on), CPUS)
    assert [short(row.reduced_on) for row in reduced.rows] == expected
    assert [row.reduced_by for row in reduced.rows] == ["tree" if make is reductions.tree else "add_n"] * 5
    made = [row.gradients[0] for row in reduced.rows]
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        metadata = tf.RunMetadata()
        session.run(made, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    ran = {node.name: short(node.device) for graph in metadata.partition_graphs for node in graph.node}
    assert [ran[gradient.op.name] for gradient in made] == expected


@pytest.mark.parametrize(
    "towers, pairs",
    [
        (2, []),
        (3, ["/cpu:0"]),
        (4, ["/cpu:0", "/cpu:2"]),
        (5, ["/cpu:0", "/cpu:2", "/cpu:0"]),
        (8, ["/cpu:0", "/cpu:2", "/cpu:0", "/cpu:2", "/cpu:0", "/cpu:0"]),
    ],
)
def test_a_tree_adds_each_pair_on_the_device_of_the_first(fresh_graph, towers, pairs):
    tower_grads = of_towers([shared()], towers)
    before = set(fresh_graph.get_operations())
    devices = [CPUS[tower % 4] for tower in range(towers)]
    reduced = reductions.reduce_gradients(tower_grads, reductions.tree("sum", on="/cpu:1"), devices)
    sums = [op for op in fresh_graph.get_operations() if op not in before and op.type in ("Add", "AddV2")]
    assert [short(op.device) for op in sums] == pairs + ["/cpu:1"]
    assert run(reduced.rows[0].gradients[0]).tolist() == [(10**towers - 1) / 9] * 3


def test_a_tree_is_bit_equal_for_any_device_of_its_last_sum():
    variable = shared(shape=[1000])
    draw = np.random.RandomState(5)
    tower_grads = [[(tf.constant(draw.normal(size=1000)), variable)] for _ in range(7)]
    asked = [reductions.tree(), reductions.tree(on="/cpu:2"), reductions.tree(on="variable")]
    made = [reductions.reduce_gradients(tower_grads, each, ["/cpu:0"] * 7).rows[0].gradients[0] for each in asked]
    first, second, third = run(made)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, third)


def slices(rows, value):
    values = tf.constant(np.full([len(rows), 2], value))
    return tf.IndexedSlices(values, tf.constant(rows, tf.int64), tf.constant([6, 2], tf.int64))


@pytest.mark.parametrize(
    "reduction, expected",
    [
        (reductions.mean(), {1: 0.25, 3: 0.25 + 2.5, 5: 2.5}),
        (reductions.tree(), {1: 0.25, 3: 0.25 + 2.5, 5: 2.5}),
        (reductions.sum(), {1: 1.0, 3: 11.0, 5: 10.0}),
        (reductions.tree("sum"), {1: 1.0, 3: 11.0, 5: 10.0}),
    ],
    ids=repr,
)
def test_sparse_rows_are_concatenated(reduction, expected):
    table = shared("table", [6, 2], "/cpu:1")
    found = [[(slices([1, 3], 1.0), table)], [(slices([3, 5], 10.0), table)], [(slices([], 1.0), table)]]
    found.append(found[2])
    (row,) = reductions.reduce_gradients(found, reduction, CPUS).rows
    assert isinstance(row.gradients[0], tf.IndexedSlices) and row.reduced_by == "concat"
    values, indices = run([row.gradients[0].values, row.gradients[0].indices])
    assert sorted(indices) == [1, 3, 3, 5]
    assert {index: values[indices == index].sum(axis=0).tolist() for index in indices} == {
        index: [value] * 2 for index, value in expected.items()
    }


def test_a_sparse_gradient_counts_its_own_rows_when_sums_are_distributed():
    """Its table is the largest variable, but the gradient has two rows only: the sums of the others come first."""
    table, small, tiny = shared("table", [600, 2]), shared("small", [9]), shared("tiny", [8])
    pairs = [(slices([1, 3], 1.0), table), (tf.ones([9], tf.float64), small), (tf.ones([8], tf.float64), tiny)]
    rows = reductions.reduce_gradients([pairs, pairs], reductions.mean(), CPUS[:2]).rows
    assert [short(row.reduced_on) for row in rows] == ["/cpu:1", "/cpu:0", "/cpu:1"]


def test_a_bucket_counts_its_own_bytes():
    def bucket(size):
        gradients = [tf.fill([size], float(tower)) for tower in (1, 3)]
        return GradientRow("bucket {}".format(size), None, gradients, "/cpu:0")

    context = ReductionContext(CPUS[:2], [0, 1])
    result = reductions.mean().update(TowerGradients([bucket(2), bucket(6), bucket(5)], context), None)
    assert [short(row.reduced_on) for row in result.rows] == ["/cpu:1", "/cpu:0", "/cpu:1"]
    assert [value.tolist() for value in run([row.gradients[0] for row in result.rows])] == [[2] * 2, [2] * 6, [2] * 5]


@pytest.mark.parametrize("make", [reductions.mean, reductions.sum, reductions.tree], ids=lambda make: make.__name__)
def test_a_gradient_missing_in_all_towers_stays_none(make):
    used, unused = shared("used"), shared("unused")
    tower_grads = [[(tf.ones([3], tf.float64), used), (None, unused)]] * 2
    rows = reductions.reduce_gradients(tower_grads, make(), CPUS[:2]).rows
    assert rows[1].gradients == [None] and rows[1].reduced_by == "" and rows[1].reduced_on is None
    assert rows[0].gradients[0] is not None


@pytest.mark.parametrize("make", [reductions.mean, reductions.sum, reductions.tree], ids=lambda make: make.__name__)
def test_the_error_for_a_missing_gradient_names_towers_by_their_numbers(make):
    """Towers 0 and 2 train, tower 1 validates."""
    w = shared("fc/w")
    prepared = prepare(make(), ReductionContext(CPUS[:2], [0, 2]), [w])
    with pytest.raises(TowerError, match=r"tower 2 has no gradient for 'fc/w' \(tower 0 has one\)"):
        prepared.reduce([[(tf.ones([3], tf.float64), w)], [(None, w)]])


@pytest.mark.parametrize(
    "of_the_second, message",
    [
        (lambda w, other: (tf.ones([2], tf.float64), w), r"gradient of tower 3 for 'w' is float64 of shape \(2,\)"),
        (lambda w, other: (None, other), "tower 3 has gradients for 'other', tower 1 does not; tower 3 has none for"),
    ],
    ids=["shape", "variable"],
)
def test_errors_for_mismatched_gradients_name_towers_by_their_numbers(of_the_second, message):
    w, other = shared("w"), shared("other")
    prepared = prepare(reductions.mean(), ReductionContext(CPUS[:2], [1, 3]), [w])
    with pytest.raises(TowerError, match=message):
        prepared.reduce([[(tf.ones([3], tf.float64), w)], [of_the_second(w, other)]])


DOUBLED = [reductions.scale(2.0), reductions.chain(reductions.mean(), reductions.scale(2.0))]


@pytest.mark.parametrize("reduction", DOUBLED, ids=repr)
@pytest.mark.parametrize("weight, expected", [(3.0, 2.0), (0.0, 0.0)])
def test_the_only_tower_may_have_weight_0(reduction, weight, expected):
    weights = [tf.placeholder_with_default(weight, [])]
    gradients = tf.placeholder_with_default(np.full(3, 1.0 if weight else np.nan), [3])
    reduced = reductions.reduce_gradients([[(gradients, shared())]], reduction, CPUS[:1], weights)
    assert run(reduced.rows[0].gradients[0]).tolist() == [expected] * 3


def test_the_plan_of_one_tower():
    v = shared()
    gradient = tf.ones([3], tf.float64)
    (row,) = reductions.reduce_gradients([[(gradient, v)]], reductions.mean(on="/cpu:3"), CPUS[:1]).rows
    assert row.gradients[0] is gradient and row.reduced_by == "one tower"


REPRS = {
    "mean()": reductions.mean(),
    "mean(on='variable')": reductions.mean(on="variable"),
    "mean(on=['/cpu:0', '/cpu:1'])": reductions.mean(on=("/cpu:0", "/cpu:1")),
    "sum()": reductions.sum(),
    "sum(on='/cpu:1')": reductions.sum(on="/cpu:1"),
    "tree()": reductions.tree(),
    "tree(combine='sum', on='variable')": reductions.tree("sum", "variable"),
    "missing('drop')": reductions.missing("drop"),
    "densify()": reductions.densify(),
}


@pytest.mark.parametrize("text", sorted(REPRS))
def test_a_repr_is_the_call(text):
    assert repr(REPRS[text]) == text
    assert repr(eval(text, {name: getattr(reductions, name) for name in reductions.__all__})) == text


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: reductions.tree(combine="average"), "combine is 'average': allowed are 'mean', 'sum'"),
        (lambda: reductions.mean(on=""), "on is '': allowed are 'spread', 'variable', a device such as"),
        (lambda: reductions.mean(on=[]), "on is .*a list of devices"),
        (lambda: reductions.mean(on=[0]), "on is .0.: allowed"),
        (lambda: reductions.mean(on=3), "on is 3: allowed"),
        (lambda: reductions.mean(on=None), "on is None: allowed"),
        (lambda: reductions.mean(on="varible"), "on is 'varible': allowed are .* devices. Did you mean 'variable'.$"),
        (lambda: reductions.sum(on="Spread"), "on is 'Spread': allowed are .* devices. Did you mean 'spread'.$"),
        (lambda: reductions.tree(on="banana"), "on is 'banana': allowed are .* or a list of devices$"),
        (lambda: reductions.mean(on="cpu0"), "on is 'cpu0': allowed are .*such as '/cpu:0'"),
        (lambda: reductions.mean(on=["/cpu:0", "spread"]), "on is .'/cpu:0', 'spread'.: allowed are"),
        (lambda: reductions.mean(on="/cpu:-1"), "on is '/cpu:-1': allowed are"),
        (lambda: reductions.mean(on=("/cpu:0", "")), None),
        (lambda: reductions.mean(on="cpu:0"), None),
    ],
    ids=["combine", "no place", "no places", "number in a list", "number", "None", "misspelled", "capital", "no device",
         "device misspelled", "word in a list", "negative", "the default device", "short"],
)
def test_invalid_options(call, message):
    if message is None:
        call()
        return
    with pytest.raises(ArgumentError, match=message):
        call()


def test_a_second_mean_is_rejected():
    both = reductions.chain(reductions.mean(), reductions.tree())
    message = r"tree\(\) comes after a reduction that has reduced the towers' gradients to one"
    with pytest.raises(ArgumentError, match=message):
        reductions.reduce_gradients(of_towers([shared()], 2), both, CPUS[:2])


def test_mixed_sparse_and_dense_gradients_need_densify():
    table = shared("table", [6, 2])
    mixed = [[(slices([1], 2.0), table)], [(tf.ones([6, 2], tf.float64), table)]]
    with pytest.raises(TowerError, match=r"'table' is sparse in towers \[0\] and dense in towers \[2\].*densify"):
        # Tower 1 validates.
        prepare(reductions.tree(), ReductionContext(CPUS[:2], [0, 2]), [table]).reduce(mixed)
    dense = reductions.chain(reductions.densify(), reductions.tree())
    (row,) = reductions.reduce_gradients(mixed, dense, CPUS[:2]).rows
    np.testing.assert_array_equal(run(row.gradients[0])[:3], [[0.5] * 2, [1.5] * 2, [0.5] * 2])
