"""Small parts of tf.contrib, each against numpy."""
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


def elements(dataset):
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found


DATA = tf.contrib.data
TRANSFORMATIONS = {
    "batch_and_drop_remainder": (lambda: DATA.batch_and_drop_remainder(2), [[0, 1], [2, 3]]),
    "map_and_batch": (lambda: DATA.map_and_batch(lambda x: 2 * x, 2), [[0, 2], [4, 6], [8]]),
    "map_and_batch_drop": (lambda: DATA.map_and_batch(lambda x: x, 2, 1, True), [[0, 1], [2, 3]]),
    "sliding_window_batch": (
        lambda: DATA.sliding_window_batch(3, window_stride=2),
        [[0, 2, 4]],
    ),
    "sliding_by_two": (lambda: DATA.sliding_window_batch(3, 2), [[0, 1, 2], [2, 3, 4]]),
    "enumerate_dataset": (lambda: DATA.enumerate_dataset(5), [(5, 0), (6, 1), (7, 2), (8, 3), (9, 4)]),
    "scan": (lambda: DATA.scan(np.int64(0), lambda state, x: (state + x, state + x)), [0, 1, 3, 6, 10]),
    "parallel_interleave": (
        lambda: DATA.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2),
        [0, 1, 0, 1, 2, 3, 2, 3, 4, 4],
    ),
    "group_by_window": (lambda: DATA.group_by_window(lambda x: x % 2, lambda _, d: d.batch(9), 9), [[0, 2, 4], [1, 3]]),
    "assert_element_shape": (lambda: DATA.assert_element_shape(tf.TensorShape([])), [0, 1, 2, 3, 4]),
    "ignore_errors": (DATA.ignore_errors, [0, 1, 2, 3, 4]),
    "unique": (DATA.unique, [0, 1, 2, 3, 4]),
}


@pytest.mark.parametrize("name", sorted(TRANSFORMATIONS))
def test_data(name):
    make, expected = TRANSFORMATIONS[name]
    found = elements(tf.data.Dataset.range(5).apply(make()))
    assert [np.asarray(value).tolist() for value in found] == [np.asarray(value).tolist() for value in expected]


def test_data_counts_and_reduces():
    assert elements(DATA.Counter(3, 2).take(3)) == [3, 5, 7]
    reducer = DATA.Reducer(lambda _: np.int64(0), lambda state, x: state + x, lambda state: state)
    assert run(DATA.reduce_dataset(tf.data.Dataset.range(5), reducer)) == 10
    padded = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
    (batch,) = elements(padded.apply(DATA.padded_batch_and_drop_remainder(2, [None])))
    np.testing.assert_array_equal(batch, [[1, 0], [2, 2]])


@pytest.mark.filterwarnings("ignore")
def test_scripts_that_look_for_the_old_dataset_give_it_arguments_of_the_new(tmp_path):
    kind = DATA.Dataset if hasattr(DATA, "Dataset") else tf.data.Dataset
    assert [each.tolist() for each in elements(kind.range(5).batch(2, drop_remainder=True))] == [[0, 1], [2, 3]]
    padded = kind.range(1, 4).map(lambda x: tf.fill([x], x), num_parallel_calls=2)
    found = elements(padded.padded_batch(2, [None], drop_remainder=True))
    assert [each.tolist() for each in found] == [[[1, 0], [2, 2]]]
    once = kind.range(4).shuffle(4, seed=3, reshuffle_each_iteration=False).repeat(2)
    assert elements(once)[:4] == elements(once)[4:]
    woven = kind.range(2).interleave(kind.from_tensors, cycle_length=2, num_parallel_calls=2)
    assert elements(woven) == [0, 1]
    for name in "ab":
        (tmp_path / name).write_text("")
    files = elements(kind.list_files(str(tmp_path / "*"), shuffle=False, seed=None))
    assert files == [str(tmp_path / name).encode() for name in "ab"]


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has no tf.contrib.data.Dataset any more")
def test_datasets_of_tensorflow_1_2(tmp_path):
    dataset = DATA.Dataset.range(6).map(lambda x: 2 * x, num_threads=2, output_buffer_size=4)
    following = dataset.shuffle(1).repeat(2).batch(4).enumerate().make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(following)[1].tolist() == [0, 2, 4, 6]
        assert session.run(following)[1].tolist() == [8, 10, 0, 2]
    path = os.path.join(str(tmp_path), "lines")
    with open(path, "w") as file:
        file.write("a\nb\n")
    assert elements(DATA.TextLineDataset(path)) == [b"a", b"b"]
    iterator = DATA.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    begin = iterator.make_initializer(DATA.Dataset.range(3))
    following = iterator.get_next()
    with tf.Session() as session:
        session.run(begin)
        assert session.run(following) == 0


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


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has no tf.contrib.nccl any more")
@pytest.mark.parametrize(
    "name, expected", [("all_sum", 11.0), ("all_prod", 30.0), ("all_min", 5.0), ("all_max", 6.0)], ids=str
)
def test_nccl_without_gpus_is_plain_operations(name, expected):
    tensors = []
    for number in range(2):
        with tf.device("/cpu:0"):
            tensors.append(tf.constant(5.0 + number))
    with pytest.warns(UserWarning, match="taken for plain operations"):
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


def test_resampler_reads_between_pixels():
    data = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
    points = np.array([[[1.0, 2.0], [0.5, 0.25], [2.25, 1.5], [-0.5, 0.0], [9.0, 9.0]]], np.float32)
    image, warp = tf.constant(data), tf.constant(points)
    result = tf.contrib.resampler.resampler(image, warp)
    gradients = tf.gradients(result, [image, warp])
    found, of_image, of_warp = run([result] + gradients)
    # The image is 4 y + x inside; it fades to 0 over the pixel outside.
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


def test_input_pipeline_goes_round():
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


def test_copy_graph_makes_a_variable_and_what_stands_on_it_again():
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


def test_parts_that_moved_whole():
    if not IS_1_15:  # there it must be imported by its whole name first
        assert tf.contrib.hooks.ProfilerHook is tf.train.ProfilerHook
    assert tf.contrib.feature_column.sequence_numeric_column("n").name == "n"
    flipped = tf.contrib.nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits([[0.0, 0.0]], [1])
    third = tf.contrib.nn.nth_element(tf.constant([5.0, 1.0, 3.0]), 1)
    found = run([flipped, third])
    np.testing.assert_allclose(found[0], [np.log(2)], rtol=1e-6)
    assert found[1] == 3.0


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 counts the bytes of CPUs too")
def test_memory_stats_of_a_cpu_say_that_nothing_is_counted():
    with pytest.warns(UserWarning, match="counts the bytes of GPUs alone"):
        assert run(tf.contrib.memory_stats.MaxBytesInUse()) == 0
