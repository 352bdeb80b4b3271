"""Small modules of tf.contrib, compared with NumPy."""
import os

import numpy as np
import pytest

from legacy_towers.compat import tf

IS_1_15 = tf.__version__.startswith("1.15")


def run(values, *initializers):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        for initializer in initializers:
            session.run(initializer)
        return session.run(values)


def test_lookup():
    lookup = tf.contrib.lookup
    words = tf.constant(["emerson", "lake", "palmer"])
    asked = tf.constant(["palmer", "and", "emerson"])
    table = lookup.index_table_from_tensor(words, num_oov_buckets=1)
    pairs = lookup.KeyValueTensorInitializer(["x", "y"], np.array([7, 8], np.int64))
    hashed = lookup.HashTable(pairs, -1, shared_name="shared")
    mutable = lookup.MutableHashTable(tf.string, tf.int64, -1)
    dense = lookup.MutableDenseHashTable(tf.int64, tf.float32, -1.0, empty_key=0, deleted_key=-1)
    found = {
        "ids": table.lookup(asked),
        "words": lookup.index_to_string_table_from_tensor(words, "?").lookup(tf.constant([2, 9], tf.int64)),
        "direct": lookup.string_to_index(asked, words),
        "back": lookup.index_to_string(tf.constant([1], tf.int64), words),
        "pairs": hashed.lookup(tf.constant(["y", "z"])),
        "mutable": mutable.lookup(tf.constant(["k"])),
        "dense": dense.lookup(tf.constant([5, 6], tf.int64)),
    }
    inserts = [mutable.insert(tf.constant(["k"]), tf.constant([4], tf.int64)), dense.insert(np.array([5]), [2.5])]
    values = run(found, inserts, hashed.init, table.init)
    assert values["ids"].tolist() == [2, 3, 0]
    assert values["words"].tolist() == [b"palmer", b"?"]
    assert values["direct"].tolist() == [2, -1, 0]
    assert values["back"].tolist() == [b"lake"]
    assert values["pairs"].tolist() == [8, -1]
    assert values["mutable"].tolist() == [4]
    assert values["dense"].tolist() == [2.5, -1.0]


def test_summary_writes_in_the_step(tmp_path):
    summary = tf.contrib.summary
    step = tf.train.get_or_create_global_step()
    writer = summary.create_file_writer(str(tmp_path), flush_millis=10)
    with writer.as_default(), summary.record_summaries_every_n_global_steps(2):
        summary.scalar("loss", 2.5, step=step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with writer.as_default():
            summary.initialize(graph=tf.get_default_graph(), session=session)
        for _ in range(3):
            session.run(summary.all_summary_ops())
            session.run(tf.assign_add(step, 1))
        session.run(summary.flush(writer=writer))
    (name,) = os.listdir(str(tmp_path))
    events = list(tf.train.summary_iterator(str(tmp_path / name)))
    found = [(event.step, value.tag, value.simple_value) for event in events for value in event.summary.value]
    assert found == [(0, "loss", 2.5), (2, "loss", 2.5)]
    assert any(event.graph_def for event in events)


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has no tf.contrib.nccl")
@pytest.mark.parametrize(
    "name, expected", [("all_sum", 11.0), ("all_prod", 30.0), ("all_min", 5.0), ("all_max", 6.0)], ids=str
)
def test_nccl_on_cpus_uses_other_operations(name, expected):
    tensors = []
    for number in range(2):
        with tf.device("/cpu:0"):
            tensors.append(tf.constant(5.0 + number))
    with pytest.warns(UserWarning, match="operations without NCCL, because the tensors are on"):
        found = getattr(tf.contrib.nccl, name)(tensors)
    assert [one.device for one in found] == ["/device:CPU:0"] * 2
    assert run(found) == [expected] * 2


def test_util_and_compiler():
    util = tf.contrib.util
    np.testing.assert_array_equal(util.make_ndarray(util.make_tensor_proto([[1.5]])), [[1.5]])
    assert util.constant_value(tf.constant(3)) == 3
    with tf.contrib.compiler.jit.experimental_jit_scope():
        compiled = tf.constant(1.0) + 1.0
    assert compiled.op.get_attr("_XlaCompile")


def test_sparsemax():
    logits = np.array([[1.0, 2.0, 0.1], [0.3, 0.2, 0.1]], np.float32)
    labels = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], np.float32)
    result = tf.contrib.sparsemax.sparsemax(tf.constant(logits))
    loss = tf.contrib.sparsemax.sparsemax_loss(tf.constant(logits), result, tf.constant(labels))
    found, losses = run([result, loss])
    for row, one in zip(logits, found):
        thresholds = np.linspace(-3, 3, 600001)
        sums = np.maximum(row[:, None] - thresholds, 0).sum(axis=0)
        best = thresholds[np.argmin(np.abs(sums - 1))]
        np.testing.assert_allclose(one, np.maximum(row - best, 0), atol=2e-5)
    support = np.sum(np.where(found > 0, found * (logits - 0.5 * found), 0), axis=1)
    np.testing.assert_allclose(losses, support + np.sum(labels * (0.5 * labels - logits), axis=1), atol=1e-6)


def test_resampler_interpolates_and_has_gradients():
    data = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
    points = np.array([[[1.0, 2.0], [0.5, 0.25], [2.25, 1.5], [-0.5, 0.0], [9.0, 9.0]]], np.float32)
    image, warp = tf.constant(data), tf.constant(points)
    result = tf.contrib.resampler.resampler(image, warp)
    gradients = tf.gradients(result, [image, warp])
    found, of_image, of_warp = run([result] + gradients)
    # The image is 4 y + x; the pixels outside are 0.
    np.testing.assert_allclose(found[0, :, 0], [9.0, 1.5, 8.25, 0.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(of_image.sum(), 3.5, atol=1e-5)
    np.testing.assert_allclose(of_warp[0, 1:3], [[1, 4], [1, 4]], atol=1e-5)


def test_projector_config(tmp_path):
    projector = tf.contrib.tensorboard.plugins.projector
    config = projector.ProjectorConfig()
    config.model_checkpoint_path = "model.ckpt"
    embedding = config.embeddings.add()
    embedding.tensor_name = "words"
    embedding.sprite.image_path = "sprite.png"
    embedding.sprite.single_image_dim.extend([28, 28])
    projector.visualize_embeddings(tf.summary.FileWriter(str(tmp_path)), config)
    text = (tmp_path / "projector_config.pbtxt").read_text().split()
    assert (
        text
        == (
            'model_checkpoint_path: "model.ckpt" embeddings { tensor_name: "words" sprite { image_path: "sprite.png" '
            "single_image_dim: 28 single_image_dim: 28 } }"
        ).split()
    )


def test_tfprof_counts_parameters(capfd):
    tf.get_variable("weights", [3, 4])
    analyzer = tf.contrib.tfprof.model_analyzer
    counted = analyzer.print_model_analysis(
        tf.get_default_graph(), tfprof_options=analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    )
    assert counted.total_parameters == 12


def test_obtain_next_starts_again_after_the_last_string():
    counter = tf.Variable(np.int64(-1), use_resource=False)
    following = tf.contrib.input_pipeline.obtain_next(tf.constant(["a", "b"]), counter)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(following) for _ in range(3)] == [b"a", b"b", b"a"]


def test_signal_and_stateless():
    window = tf.contrib.signal.hann_window(4)
    drawn = tf.contrib.stateless.stateless_random_normal([3], seed=[1, 2])
    again = tf.contrib.stateless.stateless_random_normal([3], seed=[1, 2])
    found = run([window, drawn, again])
    np.testing.assert_allclose(found[0], [0, 0.5, 1, 0.5], atol=1e-6)
    np.testing.assert_array_equal(found[1], found[2])


def test_copy_graph_copies_a_variable_and_operations_that_use_it():
    one, other = tf.Graph(), tf.Graph()
    with one.as_default():
        variable = tf.Variable([1.0, 2.0], name="variable", use_resource=False)
        fed = tf.placeholder(tf.float32, [2], name="fed")
        result = tf.multiply(variable * 2.0 + fed, 3.0, name="result")
    copied = tf.contrib.copy_graph.copy_variable_to_graph(variable, other)
    again = tf.contrib.copy_graph.copy_op_to_graph(result, other, [copied])
    with tf.Session(graph=other) as session:
        session.run(copied.initializer)
        feed = {tf.contrib.copy_graph.get_copied_op(fed, other): [1.0, 1.0]}
        assert session.run(again, feed).tolist() == [9.0, 15.0]
    assert copied.op.name == "variable"


def test_names_that_moved_to_other_modules():
    if not IS_1_15:  # TensorFlow 1.15 does not import tf.contrib.hooks itself
        assert tf.contrib.hooks.ProfilerHook is tf.train.ProfilerHook
    assert tf.contrib.feature_column.sequence_numeric_column("n").name == "n"
    flipped = tf.contrib.nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits([[0.0, 0.0]], [1])
    third = tf.contrib.nn.nth_element(tf.constant([5.0, 1.0, 3.0]), 1)
    found = run([flipped, third])
    np.testing.assert_allclose(found[0], [np.log(2)], rtol=1e-6)
    assert found[1] == 3.0


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 counts memory on CPUs too")
def test_memory_stats_on_a_cpu_warn_that_memory_is_not_counted():
    with pytest.warns(UserWarning, match="TensorFlow counts memory on GPUs only"):
        assert run(tf.contrib.memory_stats.MaxBytesInUse()) == 0
