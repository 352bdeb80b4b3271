"""Names of TensorFlow 0.12 that 1.0 dropped: each is supported, or its error says what to do."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import known_names, missing, registry, tree
from legacy_towers.compat.tf1.pre_1_0 import tables

view = tree.module("tensorflow")
pytestmark = pytest.mark.filterwarnings("ignore")
NOT_API = ("python", "core", "contrib", "examples", "tools", "pywrap_tensorflow")


def value(tensor):
    with tf.Session() as session:
        return session.run(tensor)


def exists(name):
    parent, _, last = name.rpartition(".")
    try:
        return hasattr(tree.module(parent), last)
    except (AttributeError, ImportError) as error:
        # Other import errors name the package that is not installed.
        return not isinstance(error, (missing.MissingName, missing.MissingModule))


def public_names():
    recording = known_names.OF_0_12
    for module in recording.modules():
        if module.split(".")[1:2] and module.split(".")[1] in NOT_API or recording.imported_from(module):
            continue
        for name in sorted(recording.names_in(module)):
            if not (module == "tensorflow" and name in NOT_API):
                yield "{}.{}".format(module, name)


@pytest.mark.needs_layers
def test_every_public_name_exists_or_its_error_says_what_to_do():
    names = list(public_names())
    assert len(names) > 850
    unexplained = [name for name in names if not exists(name) and not says_what_to_do(name)]
    assert unexplained == []


def says_what_to_do(name):
    return ": " in missing.sentence(name) and "did you mean" not in missing.sentence(name)


def test_every_public_name_of_contrib_exists_or_its_error_says_what_to_do():
    recording = known_names.OF_0_12
    unexplained = []
    for module in recording.modules():
        if not module.startswith("tensorflow.contrib.") or ".python" in module or recording.imported_from(module):
            continue
        for name in recording.public_names(module):
            whole = "{}.{}".format(module, name)
            if not known_names.is_name_of_1_15(whole) and not exists(whole):
                is_explained = says_what_to_do(whole) and "this module has no" not in missing.sentence(whole)
                unexplained += [] if is_explained else [whole]
    assert sorted(unexplained) == []


# Module of tf.contrib on TensorFlow 1.15 -> a name of 0.12 that it lacks, and what its error recommends.
MISSING_ON_1_15 = {
    "graph_editor.reroute": [
        ("subgraph", "use tf.contrib.graph_editor.subgraph"),
        ("util", "use tf.contrib.graph_editor.util"),
    ],
    "layers": [
        ("adaptive_clipping_fn", "import adaptive_clipping_fn from tensorflow.contrib.layers.python.layers.optimizers"),
        ("summarize_biases", "import summarize_biases from tensorflow.contrib.layers.python.layers.summaries"),
        ("summarize_variables", "import summarize_variables from tensorflow.contrib.layers.python.layers.summaries"),
        ("summarize_weights", "import summarize_weights from tensorflow.contrib.layers.python.layers.summaries"),
        ("bucketize", "tf.raw_ops.Bucketize"),
    ],
    "seq2seq": [("loss", "use tf.contrib.seq2seq.sequence_loss")],
    "slim": [("hashed_embedding_column", "tf.contrib.layers.embedding_column")],
}


@pytest.mark.skipif(not tree.is_1_15(), reason="TensorFlow 2.x takes these modules from legacy_towers")
@pytest.mark.parametrize("module", sorted(MISSING_ON_1_15))
def test_modules_of_1_15_explain_the_names_of_0_12_that_they_lack(module):
    found = tree.module("tensorflow.contrib." + module)
    for name, recommended in MISSING_ON_1_15[module]:
        with pytest.raises(missing.MissingName) as error:
            getattr(found, name)
        assert recommended in str(error.value)
        assert "tf.contrib.{}.{} was part of TensorFlow 0.12".format(module, name) in str(error.value)


@pytest.mark.skipif(not tree.is_1_15(), reason="TensorFlow 2.x takes these modules from legacy_towers")
def test_names_that_errors_recommend_exist():
    summaries = tree.module("tensorflow.contrib.layers.python.layers.summaries")
    assert callable(tree.module("tensorflow.contrib.layers.python.layers.optimizers").adaptive_clipping_fn)
    assert all(callable(getattr(summaries, "summarize_" + kind)) for kind in ("biases", "variables", "weights"))
    assert callable(tree.module("tensorflow.contrib.seq2seq").sequence_loss)
    assert tree.module("tensorflow.contrib.graph_editor").subgraph.SubGraphView
    assert tree.module("tensorflow.contrib.graph_editor").util.make_list_of_op


# Functions of 0.12 whose arguments have other names in 1.15 (`axis` was `dim`, `keepdims` was `keep_dims`, ...), where
# 1.15 and 2.x still accept the old keywords.
RENAMED_KEYWORDS_THAT_1_X_TAKES = (
    "count_nonzero decode_raw nn.l2_normalize nn.log_softmax nn.softmax reduce_all reduce_any reduce_join"
    " reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum reverse_sequence"
    " sparse_reduce_sum sparse_reduce_sum_sparse string_split"
).split()
# Functions with an argument that 1.x inserted after the fifth, where scripts pass names, or whose type is that of the
# argument that was at its position.
NOT_TAKEN_BY_POSITION = (
    "TensorArray get_variable image.decode_jpeg nn.conv2d nn.conv2d_backprop_filter nn.conv2d_backprop_input"
    " nn.quantized_conv2d scan train.MonitoredTrainingSession train.Scaffold"
).split()
# Its operation was removed before 0.12, where it failed too.
FAILED_IN_0_12 = ["nn.conv3d_backprop_filter"]
REWRITTEN_IN_SCRIPTS = ["SparseTensor"]


def test_every_function_with_changed_arguments_is_in_a_table():
    rows = registry.rows(is_1_15=True)
    new = known_names.OF_1_15.signatures()
    changed = []
    for name, arguments in known_names.OF_0_12.signatures().items():
        old_names = [each.split("=")[0] for each in arguments]
        new_names = [each.split("=")[0] for each in new.get(name, ())]
        takes_any = "**kwargs" in new_names or "*args" in old_names or name not in new or ".pywrap" in name
        if not takes_any and new_names[: len(old_names)] != old_names and name not in rows:
            changed.append(name[len("tensorflow.") :])
    assert sorted(changed) == sorted(
        RENAMED_KEYWORDS_THAT_1_X_TAKES + NOT_TAKEN_BY_POSITION + REWRITTEN_IN_SCRIPTS + FAILED_IN_0_12
    )


@pytest.mark.parametrize("name", RENAMED_KEYWORDS_THAT_1_X_TAKES)
def test_old_keywords_are_accepted(name):
    ones = np.ones([2, 2], np.float32)
    sparse = tf.SparseTensor([[0, 0], [0, 1]], [1.0, 2.0], [2, 2])
    calls = {
        "decode_raw": lambda f: f(bytes=b"\1\2", out_type=tf.uint8),
        "nn.l2_normalize": lambda f: f(ones, dim=1),
        "nn.log_softmax": lambda f: f(ones, dim=-1),
        "nn.softmax": lambda f: f(ones, dim=0),
        "reduce_all": lambda f: f(ones > 0, reduction_indices=1, keep_dims=True),
        "reduce_any": lambda f: f(ones > 0, reduction_indices=1, keep_dims=True),
        "reduce_join": lambda f: f([["a", "b"]], reduction_indices=1, keep_dims=False),
        "reverse_sequence": lambda f: f(ones, [1, 2], seq_dim=1, batch_dim=0),
        "sparse_reduce_sum": lambda f: f(sparse, reduction_axes=1, keep_dims=True),
        "sparse_reduce_sum_sparse": lambda f: f(sparse, reduction_axes=1, keep_dims=True),
        "string_split": lambda f: f(["a b"], delimiter=" "),
    }
    call = calls.get(name, lambda f: f(ones, reduction_indices=1, keep_dims=True))
    function = view
    for part in name.split("."):
        function = getattr(function, part)
    value(call(function))


# Function -> a call of 0.12, and the result of 0.12.1 or of numpy.
MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
CUBE = np.arange(8.0, dtype=np.float32).reshape(1, 2, 2, 2, 1)
ONES_3D = np.ones([1, 2, 2, 2, 1], np.float32)
IMAGE = np.arange(9.0, dtype=np.float32).reshape(1, 3, 3, 1)
FILTER = np.ones([2, 2, 1, 1], np.float32)
CASES = {
    "concat_v2": (lambda: view.concat_v2([[1], [2]], 0), [1, 2]),
    "concat_v2 by name": (lambda: view.concat_v2(values=[[[1]], [[2]]], axis=1, name="c"), [[1, 2]]),
    "split_v": (lambda: view.split_v([[1, 2, 3]], [1, 2], 1)[1], [[2, 3]]),
    "split_v by name": (lambda: view.split_v(value=[1, 2, 3], size_splits=[2, 1], split_dim=0)[1], [3]),
    "nn.bias_add_grad": (lambda: view.nn.bias_add_grad(MATRIX), [4, 6]),
    "nn.bias_add_v1": (lambda: view.nn.bias_add_v1(MATRIX, [1.0, 2.0], "b"), MATRIX + [1, 2]),
    "nn.xw_plus_b_v1": (lambda: view.nn.xw_plus_b_v1(MATRIX, MATRIX, [1.0, 2.0]), MATRIX.dot(MATRIX) + [1, 2]),
    "nn.avg_pool3d_grad": (
        lambda: view.nn.avg_pool3d_grad(
            [1, 2, 2, 2, 1], np.full([1, 1, 1, 1, 1], 8, np.float32), [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID"
        ),
        ONES_3D,
    ),
    "nn.max_pool3d_grad": (
        lambda: view.nn.max_pool3d_grad(
            CUBE, CUBE[:, 1:, 1:, 1:], ONES_3D[:, 1:, 1:, 1:], [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID"
        ),
        (CUBE == 7).astype(np.float32),
    ),
    "nn.conv3d_backprop_input_v2": (
        lambda: view.nn.conv3d_backprop_input_v2(
            [1, 2, 2, 2, 1], np.full([1, 1, 1, 1, 1], 2, np.float32), CUBE, [1, 1, 1, 1, 1], "SAME"
        ),
        2 * CUBE,
    ),
    "nn.dilation2d_backprop_input": (
        lambda: view.nn.dilation2d_backprop_input(
            IMAGE, np.zeros([2, 2, 1], np.float32), np.ones([1, 2, 2, 1], np.float32), [1, 1, 1, 1], [1, 1, 1, 1],
            "VALID",
        )[0, 1:, 1:, 0],
        [[1, 1], [1, 1]],
    ),
    "nn.dilation2d_backprop_filter": (
        lambda: view.nn.dilation2d_backprop_filter(
            IMAGE, np.zeros([2, 2, 1], np.float32), np.ones([1, 2, 2, 1], np.float32), [1, 1, 1, 1], [1, 1, 1, 1],
            "VALID",
        )[:, :, 0],
        [[0, 0], [0, 4]],
    ),
    "nn.fused_pad_conv2d": (
        lambda: view.nn.fused_pad_conv2d(
            IMAGE, [[0, 0], [1, 0], [1, 0], [0, 0]], FILTER, "REFLECT", [1, 3, 3, 1], "VALID"
        ),
        [[[[4 + 3 + 1 + 0]]]],
    ),
    "nn.fused_resize_and_pad_conv2d": (
        lambda: view.nn.fused_resize_and_pad_conv2d(
            IMAGE, [3, 3], [[0, 0], [1, 0], [1, 0], [0, 0]], FILTER, "REFLECT", [1, 3, 3, 1], "VALID", None, "f"
        ),
        [[[[4 + 3 + 1 + 0]]]],
    ),
    "nn.quantized_relu": (
        lambda: tf.cast(view.nn.quantized_relu(tf.bitcast(np.uint8([0, 128, 255]), tf.quint8), -1.0, 1.0)[0], tf.int32),
        [128, 128, 255],
    ),
    "nn.quantized_relu6": (
        lambda: tf.cast(view.nn.quantized_relu6(tf.bitcast(np.uint8([0, 255]), tf.quint8), 0.0, 12.0)[0], tf.int32),
        [0, 128],
    ),
    "nn.math_ops": (lambda: view.nn.math_ops.multiply(2, 3), 6),
    "nn.vs": (lambda: tf.shape(view.nn.vs.get_variable("v", [3])), [3]),
    "unsupported.constant_value": (lambda: tf.constant(view.unsupported.constant_value(tf.constant([1, 2]))), [1, 2]),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_values(case):
    build, expected = CASES[case]
    np.testing.assert_allclose(value(build()), expected, rtol=1e-6)


def test_fused_batch_norm_grad():
    x = np.random.RandomState(0).randn(2, 3, 3, 2).astype(np.float32)
    flat = x.reshape(-1, 2)
    mean, variance = flat.mean(axis=0), flat.var(axis=0)
    found = view.nn.fused_batch_norm_grad(x, x, [1.0, 2.0], mean, variance, 0.01)[0]
    deviation = np.sqrt(variance + 0.01)
    normalized = (x - mean) / deviation
    shared = x - mean - normalized * (x * normalized).reshape(-1, 2).mean(axis=0)
    np.testing.assert_allclose(value(found), [1.0, 2.0] / deviation * shared, rtol=1e-4, atol=1e-4)


def quantized(numbers):
    return tf.bitcast(np.uint8(numbers), tf.quint8)


def test_quantized_bias_add():
    total, lowest, highest = view.nn.quantized_bias_add(
        quantized([[0, 255]]), quantized([255, 0]), 0.0, 2.0, 0.0, 1.0, tf.qint32
    )
    found = value(tf.dequantize(total, lowest, highest))
    np.testing.assert_allclose(found, [[1.0, 2.0]], atol=0.05)


def test_quantized_batch_norm():
    # (t - m) / sqrt(v + epsilon) * gamma + beta of [0, 2] with mean 1 and variance 1
    numbers = [quantized([[[[0, 0]]], [[[255, 255]]]]), 0.0, 2.0]
    for number, top in ((255, 1.0), (255, 1.0), (0, 1.0), (255, 1.0)):
        numbers += [quantized([number, number]), 0.0, top]
    result, lowest, highest = view.nn.quantized_batch_norm_with_global_normalization(
        *(numbers + [tf.qint32, 1e-6, True])
    )
    found = value(tf.dequantize(result, lowest, highest))
    np.testing.assert_allclose(found.ravel(), [-1.0, -1.0, 1.0, 1.0], atol=0.05)


def test_single_operations_reject_too_many_arguments():
    with pytest.raises(TypeError, match="tf.nn.bias_add_v1 takes 3 arguments, got 4"):
        view.nn.bias_add_v1(MATRIX, [1.0, 2.0], "name", "more")
    with pytest.raises(TypeError, match="'value' by position and by name"):
        view.nn.bias_add_v1(MATRIX, value=MATRIX)


def test_every_single_operation_is_tested():
    with open(__file__, encoding="utf-8") as file:
        text = file.read()
    assert [name for name in tables.OPERATIONS if "view.nn.{}(".format(name) not in text] == []


def test_graph_editor_reroutes():
    editor = tree.module("tensorflow.contrib.graph_editor")
    one, two = tf.constant(1.0), tf.constant(2.0)
    total = tf.identity(two) + 10
    editor.reroute_a2b_ts([one], [two])  # consumers of two consume one
    assert value(total) == 11
    assert editor.ops(".*", graph=total.graph) == total.graph.get_operations()


def test_modules_of_0_12_exist():
    assert view.platform.gfile.Exists("/") and callable(view.platform.app.run)
    assert view.resources.shared_resources() == []
    assert "SparseTensor" in dir(view.nn.sparse_tensor)
    assert view.nn.op_def_pb2.OpDef(name="x").name == "x"
    for old in tables.MODULES:
        assert tree.module("tensorflow." + old) is not None, old


@pytest.mark.parametrize("device, expected", [
    ("/job:worker/task:1/gpu:0", "/job:worker/task:1/device:CPU:0"), ("/gpu:1", "/device:CPU:0"), ("", "/device:CPU:0"),
])
def test_set_cpu0(device, expected):
    assert view.graph_util.set_cpu0(device) == expected


def test_register_shape_returns_the_function():
    @view.RegisterShape("MyOperation")
    def shapes(operation):
        return [operation]

    assert shapes(3) == [3]


def test_sync_replicas_optimizer_v2():
    optimizer = view.train.SyncReplicasOptimizerV2(tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2)
    assert isinstance(optimizer, tf.train.SyncReplicasOptimizer)


def test_a_class_with_its_old_name_can_be_called_checked_and_subclassed(tmp_path):
    writer = view.summary.FileWriter(str(tmp_path))
    writer.close()
    assert isinstance(writer, view.train.SummaryWriter) and not isinstance(3, view.train.SummaryWriter)

    class Counting(view.train.SummaryWriter):
        written = 0

        def add_summary(self, summary, global_step=None):
            self.written += 1
            super(Counting, self).add_summary(summary, global_step)

    counting = Counting(str(tmp_path))
    counting.add_summary(tf.Summary(), 1)
    counting.close()
    assert counting.written == 1 and isinstance(counting, tf.summary.FileWriter)
    assert not isinstance(writer, Counting)
