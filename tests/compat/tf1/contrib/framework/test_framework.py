"""tf.contrib.framework; on TensorFlow 1.15 the same tests check TensorFlow's own."""
import numpy as np
import pytest
from tf1_cases import recorded_cases

from legacy_towers.compat import tf

framework = tf.contrib.framework


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        return session.run(fetches, feeds)


@pytest.mark.parametrize(
    "fed, expected, fits",
    [([2, 3], [2, 3], True), ([2, 3], [-1, 3], True), ([2, 3], [3, 3], False), ([2, 3], [6], False)],
    ids=["same", "partly known", "another size", "another rank"],
)
@pytest.mark.parametrize("as_tensor", [False, True], ids=["list", "tensor"])
def test_with_shape_checks_unknown_shapes_at_run_time(fed, expected, fits, as_tensor):
    if not as_tensor:
        expected = tf.TensorShape([None if each == -1 else each for each in expected])
    tensor = tf.placeholder(tf.float32, None)
    checked = framework.with_shape(tf.constant(expected) if as_tensor else expected, tensor)
    value = np.ones(fed, np.float32)
    if fits:
        np.testing.assert_array_equal(run(checked, {tensor: value}), value)
    else:
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(checked, {tensor: value})


def test_with_shape_checks_known_shapes_statically():
    known = tf.ones([2, 3])
    assert framework.with_shape([2, 3], known) is known
    assert framework.with_same_shape(tf.zeros([2, 3]), known) is known
    assert framework.with_shape([], tf.ones([1])).shape.as_list() == []
    for wrong in ([3, 2], [2]):
        with pytest.raises(ValueError, match="Invalid shape"):
            framework.with_shape(wrong, known)
    with pytest.raises(ValueError, match="SparseTensor"):
        framework.with_shape([1], tf.SparseTensor([[0]], [1.0], [1]))
    with pytest.raises(ValueError, match="Invalid dtype"):
        framework.with_shape(tf.constant([2.0, 3.0]), known)


@pytest.mark.parametrize("known", [True, False], ids=["known ranks", "unknown ranks"])
def test_remove_squeezable_dimensions(known):
    def fed(shape):
        return tf.placeholder_with_default(np.ones(shape, np.float32), shape if known else None)

    for shapes in ([[3, 1], [3]], [[3], [3, 1]], [[3], [3]]):
        for each in run(framework.remove_squeezable_dimensions(fed(shapes[0]), fed(shapes[1]))):
            assert each.shape == (3,)


def test_assert_scalar_and_reduce_sum_n():
    assert run(framework.assert_scalar_int(tf.constant(3))) == 3
    with pytest.raises(ValueError):
        framework.assert_scalar_int(tf.constant(3.0))
    with pytest.raises(ValueError):
        framework.assert_scalar(tf.constant([1]))
    assert run(framework.reduce_sum_n([tf.constant([1.0, 2.0]), tf.constant([[3.0]])])) == 6.0
    assert run(framework.reduce_sum_n([tf.constant([1.0, 2.0])])) == 3.0
    with pytest.raises(ValueError):
        framework.reduce_sum_n([])
    assert framework.is_tensor(tf.constant(1)) and not framework.is_tensor(np.ones(1))
    assert framework.assert_same_float_dtype([tf.constant(1.0)], tf.float32) == tf.float32


def test_py_func_with_nested_arguments_and_results():
    def function(rows, scale):
        return {"sum": rows.sum(0), "scaled": (scale * rows, np.float32(scale))}

    types = {"sum": tf.float32, "scaled": (tf.float32, tf.float32)}
    shapes = {"sum": [2], "scaled": ([3, 2], [])}
    rows = tf.constant(np.arange(6.0).reshape(3, 2), tf.float32)
    out = framework.py_func(function, [rows], {"scale": tf.constant(2.0)}, types, shapes)
    assert out["sum"].shape.as_list() == [2] and out["scaled"][0].shape.as_list() == [3, 2]
    found = run(out)
    np.testing.assert_array_equal(found["sum"], [6.0, 9.0])
    np.testing.assert_array_equal(found["scaled"][0], 2.0 * np.arange(6.0).reshape(3, 2))
    assert framework.py_func(lambda x: x, [rows], output_types=tf.float32).shape.ndims is None
    with pytest.raises(TypeError, match="args must be list"):
        framework.py_func(function, rows)


def test_placeholders_and_name_scopes():
    one, other = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [2])
    assert framework.get_placeholders(tf.get_default_graph()) == [one, other]
    with pytest.raises(TypeError):
        framework.get_placeholders("graph")
    with tf.name_scope("a"), tf.name_scope("b"):
        assert framework.get_name_scope() == "a/b"
    assert framework.get_graph_from_inputs([one]) is tf.get_default_graph()
    assert framework.strip_name_scope("a/b/c", "a/b") == "c"
    assert framework.prepend_name_scope("c", "a/b") == "a/b/c"
    assert framework.smart_constant_value(tf.constant(True)) in (True,)
    assert run(framework.smart_cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2))) == 1


def test_sort_and_argsort():
    values = tf.constant([3, 1, 2])
    assert list(run(framework.sort(values))) == [1, 2, 3]
    assert list(run(framework.argsort(values, direction="DESCENDING"))) == [0, 2, 1]


def test_fuse_op_replaces_nodes_by_one():
    graph = tf.GraphDef()
    for name, inputs in [("a", []), ("b", ["a"]), ("c", ["b"]), ("d", ["c"]), ("e", ["d"]), ("f", ["e"])]:
        graph.node.add(name=name, op="Thing", input=inputs)
    fused = framework.fuse_op(graph, ["b"], ["e"], [tf.float32.as_datatype_enum], False, "Fused", "FusedOp")
    assert {node.name: list(node.input) for node in fused.node} == {
        "a": [], "b": ["a"], "Fused": ["b"], "e": ["Fused"], "f": ["e"],
    }  # fmt: skip
    with pytest.raises(TypeError):
        framework.fuse_op("graph", ["b"], ["e"], [], False, "Fused", "FusedOp")
    next(node for node in graph.node if node.name == "d").input.append("a")
    with pytest.raises(TypeError, match="not in input_nodes"):
        framework.fuse_op(graph, ["b"], ["e"], [], False, "Fused", "FusedOp")
    with pytest.raises(AssertionError):
        framework.fuse_op(graph, ["b"], ["d"], [], False, "Fused", "FusedOp")


def test_checkpoint_utils(tmp_path):
    path = str(tmp_path / "model.ckpt")
    with tf.Graph().as_default():
        tf.get_variable("layer/w", [2, 3], initializer=tf.constant_initializer(2.0))
        tf.get_variable("layer/b", [3], initializer=tf.constant_initializer(1.0))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, path)
    for where in (path, str(tmp_path)):
        assert list(framework.list_variables(where)) == [("layer/b", [3]), ("layer/w", [2, 3])]
        np.testing.assert_array_equal(framework.load_variable(where, "layer/b"), np.ones(3))
        assert framework.load_checkpoint(where).has_tensor("layer/w")
    with tf.variable_scope("mine"):
        mine = tf.get_variable("w", [2, 3])
    framework.init_from_checkpoint(checkpoint_dir=path, assignment_map={"layer/": "mine/"})
    np.testing.assert_array_equal(run(mine), np.full([2, 3], 2.0))


def test_initializers_remap_vocabularies(tmp_path):
    path, old, new = str(tmp_path / "model.ckpt"), str(tmp_path / "old"), str(tmp_path / "new")
    for name, words in ((old, "a b c"), (new, "c d a")):
        with open(name, "w") as file:
            file.write("\n".join(words.split()))
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.get_variable("table", initializer=tf.constant([[1.0], [2.0], [3.0]]))
        session.run(table.initializer)
        tf.train.Saver().save(session, path)
    bias = framework.load_linear_multiclass_bias_initializer(
        path, "table", new_class_vocab_size=3, old_class_vocab_file=old, new_class_vocab_file=new
    )
    embedding = framework.load_embedding_initializer(
        path, "table", new_vocab_size=3, embedding_dim=1, old_vocab_file=old, new_vocab_file=new,
        initializer=lambda shape, dtype=None: tf.fill(shape, 7.0),
    )  # fmt: skip
    found = run([tf.get_variable("bias", [3, 1], initializer=bias),
                 tf.get_variable("embedding", [3, 1], initializer=embedding)])  # fmt: skip
    assert list(found[0][:, 0]) == [3.0, 0.0, 1.0]
    assert list(found[1][:, 0]) == [3.0, 7.0, 1.0]


def test_print_op(capfd):
    print_op = recorded_cases.module("tensorflow.contrib.framework.python.ops").print_op
    value = print_op(tf.constant([1.0, 2.0], name="it"), message="look ", data=[tf.constant([True])])
    assert list(run(value)) == [1.0, 2.0]
    printed = capfd.readouterr().err
    for part in ("look ", "Name: it:0", "Type: Tensor (float32)", "[1 2]"):
        assert part in printed
    sparse = print_op(tf.SparseTensor([[1]], [5.0], [3]), print_tensor_type=False)
    assert list(run(sparse).values) == [5.0]
    with pytest.raises(ValueError):
        print_op(None)


def test_global_step():
    step = framework.get_or_create_global_step()
    assert framework.get_global_step() is step and framework.assert_or_get_global_step(global_step_tensor=step) is step
    with pytest.raises(ValueError):
        framework.create_global_step()
    framework.assert_global_step(step)


def test_zero_initializer_fails_for_an_initialized_variable():
    variable = tf.Variable(tf.ones([3]), name="zeros")
    initialize = framework.zero_initializer(variable)
    with tf.Session() as session:
        session.run(initialize)
        assert list(session.run(variable)) == [0.0, 0.0, 0.0]
        with pytest.raises(tf.errors.OpError):
            session.run(initialize)


def test_deprecated_decorators():
    @framework.deprecated("2017-01-01", "Use the other.")
    def old(x):
        """Doubles."""
        return 2 * x

    @framework.deprecated_args(None, "It does nothing.", "y")
    def other(x, y=None):
        """Gives x."""
        return x

    assert old(2) == 4 and other(1, y=2) == 1
    assert "DEPRECATED" in old.__doc__


def test_audio_ops():
    audio_ops = recorded_cases.module("tensorflow.contrib.framework.python.ops.audio_ops")
    wave = tf.constant(np.sin(np.arange(800) / 5.0)[:, None], tf.float32)
    spectrogram = audio_ops.audio_spectrogram(wave, window_size=256, stride=128, magnitude_squared=True)
    coefficients = audio_ops.mfcc(spectrogram, 16000, dct_coefficient_count=10)
    decoded = audio_ops.decode_wav(audio_ops.encode_wav(wave, 16000), desired_channels=1, desired_samples=100)
    spectrum, found, back, rate = run([spectrogram, coefficients, decoded.audio, decoded.sample_rate])
    # A sine with 1/5 radian per sample is bin 256 / (10 pi) of 129 frequency bins.
    assert spectrum.shape == (1, 5, 129) and np.argmax(spectrum[0, 2]) == round(256 / (10 * np.pi))
    assert found.shape == (1, 5, 10) and rate == 16000
    np.testing.assert_allclose(back, np.sin(np.arange(100) / 5.0)[:, None], atol=1e-4)
