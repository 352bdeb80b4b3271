"""Names and orders of arguments from before TensorFlow 1.0, compared with numpy."""
import os
import warnings

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import symbols as all_symbols
from legacy_towers.compat.tf1 import tree, user_script
from legacy_towers.compat.tf1.pre_1_0 import renamed, symbols

view = tree.module("tensorflow")
MATRIX = np.array([[2.0, 1.0], [1.0, 3.0]], np.float32)
pytestmark = pytest.mark.filterwarnings("ignore")


def value(tensor):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensor)


def rows():
    for row in symbols.SYMBOLS:
        # These targets are classes of tf.nn.rnn_cell, or use them.
        needs = [pytest.mark.needs_layers] if ".pre_1_0.rnn_cell:" in row.target else []
        yield pytest.param(row, id=row.name, marks=needs)


@pytest.mark.parametrize("row", list(rows()))
def test_every_target_can_be_loaded(row):
    assert all_symbols.load(row.target) is not None


@pytest.mark.parametrize("old", sorted(renamed.RENAMES))
def test_every_new_name_exists(old):
    target = renamed.RENAMES[old].split()[0]
    assert callable(renamed.target(target))


def diagonal():
    return tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2])


CASES = {
    "mul": (lambda: view.mul([2, 3], [4, 5]), [8, 15]),
    "sub": (lambda: view.sub(x=[2, 3], y=[4, 5]), [-2, -2]),
    "neg": (lambda: view.neg([2.0]), [-2.0]),
    "inv": (lambda: view.inv([2.0]), [0.5]),
    "complex_abs": (lambda: view.complex_abs([3 + 4j]), [5.0]),
    "select": (lambda: view.select([True, False], [1, 2], [3, 4]), [1, 4]),
    "select by name": (lambda: view.select([True, False], t=[1, 2], e=[3, 4]), [1, 4]),
    "pack": (lambda: view.pack([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    "unpack": (lambda: view.unpack([[1, 2], [3, 4]])[1], [3, 4]),
    "listdiff": (lambda: view.listdiff([1, 2, 3], [2])[0], [1, 3]),
    "batch_matmul": (lambda: view.batch_matmul(MATRIX[None], MATRIX[None], adj_y=True), [MATRIX.dot(MATRIX.T)]),
    "batch_matrix_inverse": (lambda: view.batch_matrix_inverse(MATRIX[None]), [np.linalg.inv(MATRIX)]),
    "batch_matrix_diag": (lambda: view.batch_matrix_diag([[1, 2]]), [[[1, 0], [0, 2]]]),
    "batch_cholesky": (lambda: view.batch_cholesky(MATRIX[None]), [np.linalg.cholesky(MATRIX)]),
    "batch_self_adjoint_eigvals": (lambda: view.batch_self_adjoint_eigvals(MATRIX[None]), [np.linalg.eigvalsh(MATRIX)]),
    "concat": (lambda: view.concat(1, [[[1], [2]], [[3], [4]]]), [[1, 3], [2, 4]]),
    "concat by name": (lambda: view.concat(concat_dim=0, values=[[1], [2]]), [1, 2]),
    "concat axis and values": (lambda: view.concat(0, values=[[1], [2]]), [1, 2]),
    "concat by a tensor": (lambda: view.concat(tf.constant(0), [[1], [2]]), [1, 2]),
    "concat of 1.x": (lambda: view.concat([[[1], [2]], [[3], [4]]], 1), [[1, 3], [2, 4]]),
    "concat of 1.x by name": (lambda: view.concat(values=[[1], [2]], axis=0, name="c"), [1, 2]),
    "split": (lambda: view.split(1, 2, tf.constant([[1, 2], [3, 4]]))[1], [[2], [4]]),
    "split by name": (lambda: view.split(split_dim=0, num_split=2, value=[1, 2], name="s")[1], [2]),
    "split with value by name": (lambda: view.split(0, 2, value=[1, 2])[1], [2]),
    "split of 1.x": (lambda: view.split(tf.constant([[1, 2], [3, 4]]), 2, 1)[1], [[2], [4]]),
    "split of 1.x by sizes": (lambda: view.split([1, 2, 3], [1, 2], axis=0)[1], [2, 3]),
    "split of 1.x by name": (lambda: view.split(value=[1, 2], num_or_size_splits=2)[1], [2]),
    "reverse": (lambda: view.reverse([[1, 2], [3, 4]], [False, True]), [[2, 1], [4, 3]]),
    "reverse by a tensor": (lambda: view.reverse([[1, 2], [3, 4]], tf.constant([True, False])), [[3, 4], [1, 2]]),
    "reverse of 1.x": (lambda: view.reverse([[1, 2], [3, 4]], [1]), [[2, 1], [4, 3]]),
    "resize_images": (
        lambda: view.image.resize_images(np.arange(4.0).reshape(1, 2, 2, 1), 1, 4, method=1)[0, 0, :, 0],
        [0, 0, 1, 1],
    ),
    "resize_images of 1.x": (
        lambda: view.image.resize_images(np.arange(4.0).reshape(1, 2, 2, 1), [1, 4], method=1)[0, 0, :, 0],
        [0, 0, 1, 1],
    ),
    "zeros_initializer": (lambda: view.zeros_initializer([2], tf.float32), [0.0, 0.0]),
    "zeros_initializer of 1.x": (lambda: view.get_variable("z", [2], initializer=view.zeros_initializer), [0.0, 0.0]),
    "ones_initializer of 1.x": (lambda: view.get_variable("o", [2], initializer=view.ones_initializer()), [1.0, 1.0]),
    "sparse_split": (lambda: tf.sparse_tensor_to_dense(view.sparse_split(0, 2, diagonal())[1]), [[0, 2]]),
    "div of negative integers rounds down": (lambda: view.div([-7, 7], 2), [-4, 3]),
    "mod of negative integers rounds down": (lambda: view.mod([-7, 7], 3), [2, 1]),
    "types": (lambda: tf.cast([1.5], view.types.int32), [1]),
    "moved inside": (lambda: tree.module("tensorflow.python.ops.array_ops").concat(0, [[1], [2]]), [1, 2]),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_values(case):
    build, expected = CASES[case]
    np.testing.assert_allclose(value(build()), expected, rtol=1e-5)


LOGITS = np.array([[1.0, 2.0, 4.0], [0.0, -1.0, 3.0]], np.float32)
LABELS = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]], np.float32)


def softmax_cross_entropy(logits, labels):
    return -(labels * (logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))).sum(axis=1)


def sigmoid_cross_entropy(logits, labels):
    probability = 1 / (1 + np.exp(-logits))
    return -labels * np.log(probability) - (1 - labels) * np.log(1 - probability)


@pytest.mark.parametrize(
    "build, expected",
    [
        (lambda f: f.softmax_cross_entropy_with_logits(LOGITS, LABELS), softmax_cross_entropy(LOGITS, LABELS)),
        (
            lambda f: f.softmax_cross_entropy_with_logits(labels=LABELS, logits=LOGITS),
            softmax_cross_entropy(LOGITS, LABELS),
        ),
        (
            lambda f: f.sparse_softmax_cross_entropy_with_logits(LOGITS, [1, 2], "loss"),
            softmax_cross_entropy(LOGITS, np.eye(3)[[1, 2]]),
        ),
        (lambda f: f.sigmoid_cross_entropy_with_logits(LOGITS, LABELS), sigmoid_cross_entropy(LOGITS, LABELS)),
        (
            lambda f: f.sigmoid_cross_entropy_with_logits(logits=LOGITS, targets=LABELS),
            sigmoid_cross_entropy(LOGITS, LABELS),
        ),
        (
            lambda f: f.sigmoid_cross_entropy_with_logits(None, LABELS, LOGITS, "loss"),
            sigmoid_cross_entropy(LOGITS, LABELS),
        ),
        (
            lambda f: f.softmax_cross_entropy_with_logits(None, LABELS, logits=LOGITS),
            softmax_cross_entropy(LOGITS, LABELS),
        ),
        (
            lambda f: f.sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=[1, 2], logits=LOGITS),
            softmax_cross_entropy(LOGITS, np.eye(3)[[1, 2]]),
        ),
    ],
    ids=[
        "softmax", "softmax of 1.x", "sparse", "sigmoid", "sigmoid with targets", "sigmoid with a sentinel",
        "softmax with a sentinel", "sparse with a named sentinel",
    ],
)
def test_cross_entropies(build, expected):
    np.testing.assert_allclose(value(build(view.nn)), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["nce_loss", "sampled_softmax_loss"])
def test_sampled_losses_accept_both_orders_of_labels_and_inputs(name):
    random = np.random.RandomState(0)
    weights, biases = tf.constant(random.randn(8, 3), tf.float32), tf.constant(random.randn(8), tf.float32)
    inputs, labels = tf.constant(random.randn(2, 3), tf.float32), tf.constant([[1], [5]], tf.int64)
    # All classes are sampled, so that the loss is deterministic.
    sampled = tf.nn.uniform_candidate_sampler(labels, 1, 8, True, 8)
    function = getattr(view.nn, name)
    sizes = {"num_sampled": 8, "num_classes": 8}
    old = function(weights, biases, inputs, labels, 8, 8, sampled_values=sampled)
    new = function(weights, biases, labels, inputs, 8, 8, sampled_values=sampled)
    by_name = function(weights, biases, labels=labels, inputs=inputs, sampled_values=sampled, **sizes)
    first, second, third = value([old, new, by_name])
    np.testing.assert_allclose(first, second, rtol=1e-6)
    np.testing.assert_allclose(first, third, rtol=1e-6)
    assert np.isfinite(first).all()


@pytest.mark.parametrize("call, kind", [
    pytest.param(lambda: view.split(value=MATRIX, num_split=2), TypeError, id="split-without-axis"),
    pytest.param(lambda: view.split(0, num_split=2), TypeError, id="split-without-value"),
    pytest.param(lambda: view.image.resize_images(np.ones([4, 4, 3]), 32), ValueError, id="resize-without-width"),
])
def test_a_missing_argument_is_an_error_of_tensorflow(call, kind):
    with pytest.raises(kind):
        call()


def test_ctc_loss_accepts_both_orders():
    inputs = np.random.RandomState(0).randn(5, 1, 4).astype(np.float32)
    labels = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([1, 2], tf.int32), [1, 2])
    old = tree.module("tensorflow.contrib.ctc").ctc_loss(inputs, labels, [5])
    new = view.nn.ctc_loss(labels, inputs, [5])
    first, second = value([old, new])
    assert first == second > 0


def test_summaries_keep_their_tags(tmp_path):
    with tf.name_scope("scope"):
        view.scalar_summary("cross entropy", 0.5)
        view.scalar_summary(["a", "b"], [1.0, 2.0])
        view.histogram_summary("weights", [1.0, 2.0])
    view.image_summary("pictures", tf.zeros([4, 2, 2, 3]), max_images=2)
    view.audio_summary("sounds", tf.zeros([1, 10]), 100)
    merged = view.merge_all_summaries()
    with tf.Session() as session:
        writer = view.train.SummaryWriter(str(tmp_path), session.graph_def)
        writer.add_summary(session.run(merged), 3)
        writer.close()
    summary = tf.Summary.FromString(value(merged))
    assert [each.tag for each in summary.value] == [
        "cross entropy", "a", "b", "weights", "pictures/image/0", "pictures/image/1", "sounds/audio/0",
    ]
    assert [each.simple_value for each in summary.value][:3] == [0.5, 1.0, 2.0]
    (name,) = os.listdir(str(tmp_path))
    events = list(tf.train.summary_iterator(os.path.join(str(tmp_path), name)))
    assert any(event.HasField("graph_def") for event in events) and events[-1].step == 3


def test_merge_summary_adds_to_no_collection():
    one = view.scalar_summary("one", 1.0, collections=[])
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == [] and view.merge_all_summaries() is None
    merged = tf.Summary.FromString(value(view.merge_summary([one])))
    assert [each.tag for each in merged.value] == ["one"]


def test_contrib_deprecated_has_the_summaries():
    deprecated = tree.module("tensorflow.contrib.deprecated")
    deprecated.scalar_summary("two words", 1.0)
    merged = tf.Summary.FromString(value(deprecated.merge_all_summaries()))
    assert [each.tag for each in merged.value] == ["two words"]


@pytest.mark.needs_layers
def test_nn_rnn_and_the_modules_of_cells():
    cell = view.nn.rnn_cell.BasicRNNCell(3)
    inputs = [tf.ones([2, 4]), tf.ones([2, 4])]
    outputs, state = view.nn.rnn(cell, inputs, dtype=tf.float32)
    assert len(outputs) == 2 and state.shape.as_list() == [2, 3]
    both, _, _ = view.nn.bidirectional_rnn(
        view.nn.rnn_cell.GRUCell(3), view.nn.rnn_cell.GRUCell(3), inputs, dtype=tf.float32
    )
    assert both[0].shape.as_list() == [2, 6]
    for name in ("tensorflow.nn.seq2seq", "tensorflow.models.rnn.seq2seq", "tensorflow.python.ops.seq2seq"):
        assert callable(tree.module(name).sequence_loss_by_example)
    assert callable(tree.module("tensorflow.models.rnn.linear").linear)
    cells = tree.module("tensorflow.models.rnn.rnn_cell")
    assert cells.BasicLSTMCell is view.nn.rnn_cell.BasicLSTMCell
    assert issubclass(view.nn.rnn_cell.OutputProjectionWrapper, view.nn.rnn_cell.RNNCell)


def test_a_replaced_name_is_reported_once_per_line(capsys, tmp_path):
    script = tmp_path / "train.py"
    lines = ["for _ in range(3):", "    view.mul(1, 2)", "view.concat(0, [[1], [2]])", "view.concat([[1], [2]], 0)"]
    script.write_text("\n".join(lines))
    run = user_script.ScriptRun(str(script), str(tmp_path))
    user_script.begin(run)
    try:
        exec(compile(script.read_text(), str(script), "exec"), {"view": view})
    finally:
        user_script.end()
    reported = [line for line in capsys.readouterr().err.splitlines() if "interpreted as" in line]
    assert reported == [
        "legacy-towers: {}:2: tf.mul: interpreted as tf.multiply".format(script),
        "legacy-towers: {}:3: tf.concat(axis, values): interpreted as tf.concat(values, axis)".format(script),
    ]


def test_calls_of_1_x_report_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        view.concat([[1], [2]], 0)
        view.split([1, 2], 2)
        view.reverse([1], [0])
        view.nn.softmax_cross_entropy_with_logits_v2(labels=LABELS, logits=LOGITS)
        view.zeros_initializer()
