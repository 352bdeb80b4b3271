"""check_distinct_batches: towers that train on the same batch are found in the graph, others pass."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError

TOWERS = 3


def net(x, labels=None):
    """A loss of x [rows, 4], with a variable that all towers share."""
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        weights = tf.get_variable("w", [4, 2], use_resource=True)
    out = tf.matmul(tf.reshape(tf.cast(x, tf.float32), [-1, 4]), weights)
    return tf.reduce_mean(out if labels is None else out * tf.cast(tf.reshape(labels, [-1, 1]), tf.float32))


def towers(build):
    losses = []
    for index in range(TOWERS):
        with tf.name_scope("tower_{}".format(index)), tf.device("/cpu:0"):
            losses.append(build(index))
    return losses


def iterator(rows=6, remainder=True, repeat=4):
    data = {"x": np.ones([rows * repeat, 4], np.float32), "y": np.ones([rows * repeat], np.float32)}
    dataset = tf.data.Dataset.from_tensor_slices(data).batch(rows, drop_remainder=remainder)
    return tf.data.make_initializable_iterator(dataset)


def queue():
    made = tf.FIFOQueue(10, [tf.float32, tf.float32], [[4], []])
    return made


# Towers with the same batch.


def one_get_next():
    batch = iterator().get_next()
    return towers(lambda index: net(batch["x"], batch["y"]))


def one_get_next_of_unknown_size():
    batch = iterator(remainder=False).get_next()
    return towers(lambda index: net(batch["x"], batch["y"]))


def one_dequeue_many():
    x, y = queue().dequeue_many(6)
    return towers(lambda index: net(x, y))


def one_example_from_a_reader():
    _, value = tf.TFRecordReader().read(tf.FIFOQueue(1, [tf.string], [[]]))
    return towers(lambda index: net(tf.expand_dims(tf.decode_raw(value, tf.float32), 0)))


def one_placeholder():
    x = tf.placeholder(tf.float32, [None, 4])
    return towers(lambda index: net(x))


def one_placeholder_without_a_shape():
    x = tf.placeholder(tf.float32)
    return towers(lambda index: net(x))


def the_same_part_twice():
    parts = tf.split(iterator().get_next()["x"], TOWERS)
    return towers(lambda index: net(parts[min(index, 1)]))


def own_splits_with_the_same_index():
    x = iterator().get_next()["x"]
    return towers(lambda index: net(tf.split(x, TOWERS)[0]))


def augmented_differently():
    x = queue().dequeue_many(6)[0]
    return towers(lambda index: net(tf.image.random_flip_left_right(tf.reshape(x, [6, 2, 2, 1]))))


def cropped_at_random():
    x = tf.placeholder(tf.float32, [6, 3, 3, 1])
    return towers(lambda index: net(tf.random_crop(x, [6, 2, 2, 1])))


def inside_a_loop():
    x = iterator().get_next()["x"]

    def build(index):
        return net(tf.map_fn(lambda row: row * 2.0, x))

    return towers(build)


def inside_a_condition():
    x = iterator().get_next()["x"]
    flag = tf.placeholder(tf.bool, [])
    return towers(lambda index: net(tf.cond(flag, lambda: x + 1.0, lambda: x * 2.0)))


def a_recurrent_net():
    x = iterator().get_next()["x"]

    def build(index):
        steps = tf.unstack(x, axis=1)
        state = tf.zeros_like(steps[0])
        for step in steps:
            gates = tf.split(tf.nn.dropout(tf.stack([step, state], axis=1), rate=0.5), 2, axis=1)
            state = tf.tanh(tf.reshape(gates[0] + gates[1], [-1]))
        return tf.reduce_mean(state)

    return towers(build)


def labels_of_one_dequeue():
    x, labels = queue(), queue()
    y = labels.dequeue_many(2)[1]
    return towers(lambda index: net(x.dequeue_many(2)[0], y))


def python_source():
    x = tf.py_func(lambda: np.ones([6, 4], np.float32), [], tf.float32)
    return towers(lambda index: net(x))


def one_unstage():
    from tensorflow.python.ops.data_flow_ops import StagingArea  # as old code imports it

    x = StagingArea([tf.float32], [[6, 4]]).get()
    return towers(lambda index: net(x))


def one_take_from_a_barrier():
    barrier = tf.raw_ops.Barrier(component_types=[tf.float32], shapes=[[4]])
    taken = tf.raw_ops.BarrierTakeMany(handle=barrier, num_elements=6, component_types=[tf.float32])
    return towers(lambda index: net(taken.values[0]))


def one_record_input():
    records = tf.raw_ops.RecordInput(file_pattern="data.tfrecord", batch_size=6)
    return towers(lambda index: net(tf.decode_raw(records, tf.float32)))


def one_peek_into_a_staging_area():
    x = tf.raw_ops.MapPeek(key=tf.constant(0, tf.int64), indices=[0], dtypes=[tf.float32])[0]
    return towers(lambda index: net(x))


def one_string_handle():
    source = iterator()
    handle = tf.placeholder(tf.string, [])
    x = tf.data.Iterator.from_string_handle(
        handle, tf.data.get_output_types(source), tf.data.get_output_shapes(source)
    ).get_next()["x"]
    return towers(lambda index: net(x))


SHARED = [
    one_get_next,
    one_get_next_of_unknown_size,
    one_dequeue_many,
    one_example_from_a_reader,
    one_placeholder,
    one_placeholder_without_a_shape,
    the_same_part_twice,
    own_splits_with_the_same_index,
    augmented_differently,
    cropped_at_random,
    inside_a_loop,
    inside_a_condition,
    a_recurrent_net,
    labels_of_one_dequeue,
    python_source,
    one_unstage,
    one_take_from_a_barrier,
    one_record_input,
    one_peek_into_a_staging_area,
    one_string_handle,
]

# Towers with their own examples.


def take_from_a_barrier_per_tower():
    barrier = tf.raw_ops.Barrier(component_types=[tf.float32], shapes=[[4]])

    def build(index):
        return net(tf.raw_ops.BarrierTakeMany(handle=barrier, num_elements=2, component_types=[tf.float32]).values[0])

    return towers(build)


def one_record_input_then_split():
    records = tf.raw_ops.RecordInput(file_pattern="data.tfrecord", batch_size=6)
    parts = tf.split(tf.reshape(records, [6]), TOWERS)
    return towers(lambda index: net(tf.decode_raw(parts[index], tf.float32)))


def get_next_per_tower():
    source = iterator()
    return towers(lambda index: net(source.get_next()["x"]))


def iterator_per_tower():
    return towers(lambda index: net(iterator().get_next()["x"]))


def dequeue_per_tower():
    source = queue()
    return towers(lambda index: net(*source.dequeue_many(2)))


def dequeue_then_split():
    x, y = queue().dequeue_many(6)
    xs, ys = tf.split(x, TOWERS), tf.split(y, TOWERS)
    return towers(lambda index: net(xs[index], ys[index]))


def own_splits_with_own_index():
    batch = iterator().get_next()
    return towers(lambda index: net(tf.split(batch["x"], TOWERS)[index], tf.split(batch["y"], TOWERS)[index]))


def columns_then_split():
    rows = iterator().get_next()["x"]
    x, y = tf.tile(rows[:, :2], [1, 2]), rows[:, 3]
    xs, ys = tf.split(x, TOWERS), tf.split(y, TOWERS)
    return towers(lambda index: net(xs[index], ys[index]))


def slices():
    x = tf.placeholder(tf.float32, [None, 4])
    return towers(lambda index: net(x[index * 2 : (index + 1) * 2]))


def slices_by_the_size_of_the_batch():
    x = tf.placeholder(tf.float32, [None, 4])
    each = tf.shape(x)[0] // TOWERS
    return towers(lambda index: net(tf.slice(x, tf.stack([index * each, 0]), tf.stack([each, 4]))))


def unstacked():
    x = tf.reshape(iterator().get_next()["x"], [TOWERS, 2, 4])
    parts = tf.unstack(x)
    return towers(lambda index: net(parts[index]))


def rows_of_a_shuffle():
    x = iterator().get_next()["x"]
    order = tf.random_shuffle(tf.range(6))
    return towers(lambda index: net(tf.gather(x, order[2 * index : 2 * index + 2])))


def masked():
    x = iterator().get_next()["x"]
    return towers(lambda index: net(tf.boolean_mask(x, tf.equal(tf.cast(x[:, 0], tf.int32) % TOWERS, index))))


def partitioned():
    batch = iterator().get_next()
    parts = tf.dynamic_partition(batch["x"], tf.cast(batch["y"], tf.int32), TOWERS)
    return towers(lambda index: net(parts[index]))


def augmented_then_split():
    x = iterator().get_next()["x"]
    parts = tf.split(tf.map_fn(lambda row: row * tf.random_uniform([]), x), TOWERS)
    return towers(lambda index: net(parts[index]))


def augmented_in_the_tower_then_split():
    x = iterator().get_next()["x"]
    return towers(lambda index: net(tf.split(x * tf.random_uniform([6, 1]), TOWERS)[index]))


def split_by_python():
    x = iterator().get_next()["x"]
    parts = tf.py_func(lambda rows: np.split(rows, TOWERS), [x], [tf.float32] * TOWERS)
    return towers(lambda index: net(parts[index]))


def scalars_shared():
    rate, training, fed = tf.placeholder(tf.float32), tf.placeholder(tf.bool), tf.placeholder(tf.float32, [])
    source = iterator()

    def build(index):
        x = source.get_next()["x"] * fed
        return net(tf.cond(training, lambda: tf.nn.dropout(x, rate=1.0 - rate), lambda: x))

    return towers(build)


def a_table_shared():
    table = tf.placeholder(tf.float32, [10, 4])
    source = iterator()
    return towers(lambda index: net(tf.gather(table, tf.cast(source.get_next()["y"], tf.int32))))


def a_table_of_unknown_length_shared():
    table = tf.placeholder(tf.float32, [None, 4])
    parts = tf.split(iterator().get_next()["y"], TOWERS)
    return towers(lambda index: net(tf.nn.embedding_lookup(table, tf.cast(parts[index], tf.int32))))


def whole_batch_as_negatives():
    x = iterator().get_next()["x"]
    parts = tf.split(x, TOWERS)
    return towers(lambda index: net(parts[index]) - tf.reduce_mean(tf.matmul(parts[index], x, transpose_b=True)))


def size_of_the_batch_shared():
    x = iterator(remainder=False).get_next()["x"]
    parts = tf.split(x, TOWERS)
    return towers(lambda index: net(parts[index]) / tf.cast(tf.shape(x)[0], tf.float32))


def chained_input_ops():
    source = iterator()
    before = []

    def build(index):
        with tf.control_dependencies(before):
            x = source.get_next()["x"]
        before[:] = [x.op]
        return net(x)

    return towers(build)


def string_handles():
    source = iterator()
    handle = tf.placeholder(tf.string, [])
    feedable = tf.data.Iterator.from_string_handle(
        handle, tf.data.get_output_types(source), tf.data.get_output_shapes(source)
    )
    return towers(lambda index: net(feedable.get_next()["x"]))


def sparse_split():
    ids = tf.sparse_placeholder(tf.float32, [6, 4])
    parts = tf.sparse.split(sp_input=ids, num_split=TOWERS, axis=0)
    return towers(lambda index: net(tf.sparse.to_dense(parts[index])))


def no_input_op():
    x = tf.random_uniform([6, 4])
    return towers(lambda index: net(x))


DISTINCT = [
    take_from_a_barrier_per_tower,
    one_record_input_then_split,
    get_next_per_tower,
    iterator_per_tower,
    dequeue_per_tower,
    dequeue_then_split,
    own_splits_with_own_index,
    columns_then_split,
    slices,
    slices_by_the_size_of_the_batch,
    unstacked,
    rows_of_a_shuffle,
    masked,
    partitioned,
    augmented_then_split,
    augmented_in_the_tower_then_split,
    split_by_python,
    scalars_shared,
    a_table_shared,
    a_table_of_unknown_length_shared,
    whole_batch_as_negatives,
    size_of_the_batch_shared,
    chained_input_ops,
    string_handles,
    sparse_split,
    no_input_op,
]


@pytest.mark.parametrize("build", SHARED, ids=lambda build: build.__name__)
def test_towers_that_train_on_the_same_batch_are_reported(build):
    losses = build()
    with pytest.raises(InputError, match="get the same examples") as caught:
        lt.check_distinct_batches(losses)
    # The line in the message is in the function of this file that built the graph.
    assert "test_check.py, line " in str(caught.value)
    expected = [1, 2] if build is the_same_part_twice else [0, 1, 2]
    assert [found.towers for found in lt.find_shared_batches(losses)][0] == expected


@pytest.mark.parametrize("build", DISTINCT, ids=lambda build: build.__name__)
def test_towers_with_their_own_examples_pass(build):
    assert lt.find_shared_batches(build()) == []


def test_the_message_names_operation_and_line_and_suggests_a_fix():
    with pytest.raises(InputError) as caught:
        lt.check_distinct_batches(one_get_next())
    message = str(caught.value)
    assert message.startswith("towers 0, 1 and 2 get the same examples: they read 'IteratorGetNext' (IteratorGetNext")
    assert "in one_get_next: batch = iterator().get_next(), and nothing gives each its own part" in message
    assert message.endswith("give tower k tf.split(batch, towers)[k].")


@pytest.mark.parametrize(
    "build, remedy",
    [
        (one_dequeue_many, "Dequeue once for each tower"),
        (one_placeholder, "lt.tower_placeholders"),
        (one_unstage, "Stage one batch for each tower"),
        (one_peek_into_a_staging_area, "Stage one batch for each tower"),
        (python_source, "Read it once for each tower"),
        (one_take_from_a_barrier, "BarrierTakeMany.*Read it once for each tower"),
        (one_record_input, "RecordInput.*Read it once for each tower"),
    ],
    ids=["dequeue", "placeholder", "unstage", "peek", "py_func", "barrier", "record input"],
)
def test_the_message_suggests_a_fix_for_the_kind_of_input_op(build, remedy):
    with pytest.raises(InputError, match=remedy):
        lt.check_distinct_batches(build())


def test_losses_must_be_a_list():
    with pytest.raises(ArgumentError, match="give a list with one loss per tower"):
        lt.check_distinct_batches(tf.constant(1.0))


def test_batches_shared_on_purpose_may_have_as_many_rows():
    placeholders = lt.tower_placeholders(
        {"x": tf.TensorSpec([4, 4], tf.float32)}, TOWERS, shared={"w": tf.TensorSpec([4], tf.float32)}
    )
    losses = towers(lambda index: net(placeholders.per_tower[index]["x"], placeholders.shared["w"]))
    with pytest.raises(InputError, match="towers 0, 1 and 2 get the same examples: they read 'shared/w'"):
        lt.check_distinct_batches(losses)
    lt.check_distinct_batches(losses, shared=placeholders.shared)


def test_a_step_accepts_placeholders_that_towers_share():
    placeholders = lt.tower_placeholders(
        {"x": tf.TensorSpec([4, 4], tf.float32)}, 2, shared={"w": tf.TensorSpec([4], tf.float32)}
    )
    source = lt.inputs.from_placeholders(placeholders, [])
    lt.build_train_step(
        lambda batch, mode: lt.TowerOutput(loss=net(batch["x"], batch["w"])),
        source, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2),
    )
