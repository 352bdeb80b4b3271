"""`run --towers N` ends the script where a graph can't be replicated, with the operation and its line."""
import numpy as np
import pytest
from replication.one_device import FEATURES, TARGETS
from replication.running import run

CASES = {}


def case(message, keep="global"):
    def add(function):
        CASES[function.__name__] = (function, message, keep)
        return function

    return add


def train_once(tf, loss, feed=None, fetches=(), optimizer=None):
    train = (optimizer or tf.train.GradientDescentOptimizer(0.1)).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([train] + list(fetches), feed)
    raise AssertionError("it has trained")


def inputs(tf, rows=None):
    return tf.placeholder(tf.float64, [rows, 5], "x"), tf.placeholder(tf.float64, [rows, 1], "y")


def predicted(tf, x, name="w"):
    return tf.matmul(x, variable(tf, name, [5, 1], tf.float64, tf.ones_initializer()))


def variable(tf, name, *arguments):
    with tf.variable_scope("weights", reuse=tf.AUTO_REUSE):
        return tf.get_variable(name, *arguments)


def batch(rows=8):
    return FEATURES[:rows], TARGETS[:rows]


@case("its examples depend on each other")
def a_loss_over_pairs_of_examples(tf):
    x, y = inputs(tf)
    net = predicted(tf, x)
    train_once(tf, tf.reduce_mean(tf.square(net - tf.transpose(net)) * y), dict(zip((x, y), batch())))


@case("Sqrt comes after the reduction")
def a_root_of_a_mean(tf):
    x, y = inputs(tf)
    train_once(tf, tf.sqrt(tf.reduce_mean(tf.square(predicted(tf, x) - y))), dict(zip((x, y), batch())))


@case("as where the size of a batch is a constant")
def a_batch_size_in_a_constant(tf):
    x, y = inputs(tf)
    net = tf.reshape(predicted(tf, x), [8])
    train_once(tf, tf.reduce_mean(net * y[:, 0]), dict(zip((x, y), batch())))


@case("('joined', ")
def a_constant_with_a_row_for_each_example(tf):
    x, y = inputs(tf, 8)
    rows = tf.constant(np.arange(8.0)[:, None])
    net = tf.concat([rows, predicted(tf, x)], 1, name="joined")
    train_once(tf, tf.reduce_mean(net * y), dict(zip((x, y), batch())))


@case("fixed its batch size to 7, which is not a multiple of 2 towers")
def a_fixed_batch_that_is_no_multiple(tf):
    x, y = inputs(tf, 7)
    train_once(tf, tf.reduce_mean(predicted(tf, x) * y), dict(zip((x, y), batch(7))))


@case("one step has several optimizers")
def two_optimizers_in_one_step(tf):
    x, y = inputs(tf)
    first = tf.reduce_mean(predicted(tf, x, "one"))
    second = tf.reduce_mean(tf.square(predicted(tf, x, "two") - predicted(tf, x, "one")) * y)
    other = tf.train.GradientDescentOptimizer(0.1).minimize(second)
    train_once(tf, first, dict(zip((x, y), batch())), [other])


@case("it changes a state, which has no meaning per tower")
def a_state_that_the_forward_pass_writes(tf):
    x, y = inputs(tf)
    state = tf.get_variable("state", [5], tf.float64, tf.zeros_initializer(), trainable=False)
    memory = tf.assign_add(state, tf.reduce_sum(x, 0))
    train_once(tf, tf.reduce_mean(predicted(tf, x + memory) * y), dict(zip((x, y), batch())))


@case("it changes a state, which has no meaning per tower")
def a_state_of_which_the_forward_pass_writes_rows(tf):
    x, y = inputs(tf)
    state = tf.Variable(np.zeros([1, 5]), trainable=False, use_resource=False)
    memory = tf.scatter_nd_update(state, [[0]], tf.reduce_sum(x, 0, keepdims=True))
    train_once(tf, tf.reduce_mean(predicted(tf, x + memory) * y), dict(zip((x, y), batch())))


@case("which of them are examples?")
def feeds_of_different_sizes(tf):
    x, y = inputs(tf)
    flat = tf.placeholder(tf.float64, [None], "flat")
    train_once(tf, tf.reduce_mean(predicted(tf, x) * y) * tf.reduce_sum(flat), {
        x: FEATURES[:8], y: TARGETS[:8], flat: np.ones(3)})


SPARSE = ([[0, 1], [1, 2]], [1.0, 2.0], [2, 5])


def sparse_net(tf, reader):
    sparse = tf.sparse_placeholder(tf.float64, [None, 5])
    weights = tf.get_variable("w", [5, 1], tf.float64, tf.ones_initializer())
    return sparse, reader(sparse, weights)


@case("all that it feeds is sparse")
def sparse_feeds_alone(tf):
    sparse, net = sparse_net(tf, tf.sparse_tensor_dense_matmul)
    train_once(tf, tf.reduce_mean(net), {sparse: SPARSE})


@case("only tf.sparse_tensor_dense_matmul and tf.sparse_tensor_to_dense are known to keep")
def a_sparse_feed_of_an_embedding(tf):
    sparse, net = sparse_net(tf, lambda x, weights: tf.nn.embedding_lookup_sparse(
        weights, tf.cast(x, tf.int64), None, combiner="sum"))
    y = tf.placeholder(tf.float64, [None, 1])
    train_once(tf, tf.reduce_mean(net * y), {sparse: SPARSE, y: TARGETS[:2]})


@case("--keep global splits the batch that the script feeds", keep="per-tower")
def a_sparse_feed_with_keep_per_tower(tf):
    sparse, net = sparse_net(tf, tf.sparse_tensor_dense_matmul)
    y = tf.data.Dataset.from_tensor_slices(TARGETS).batch(2).make_one_shot_iterator().get_next()
    train_once(tf, tf.reduce_mean(net * y), {sparse: SPARSE})


def recurrent(tf, x):
    net = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), tf.reshape(x, [8, 5, 1]), dtype=tf.float64)[1]
    return tf.reduce_mean(tf.square(net))


@case("leave the first dimension of its inputs unknown (None), or pass --keep per-tower (keep='per-tower')")
def a_loop_over_a_batch_of_a_fixed_size_that_is_read(tf):
    x = tf.data.Dataset.from_tensor_slices(FEATURES[:8]).repeat().batch(8, drop_remainder=True)
    train_once(tf, recurrent(tf, x.make_one_shot_iterator().get_next()))


@case("leave the first dimension of its inputs unknown (None) (")
def a_loop_over_a_batch_of_a_fixed_size_that_is_fed(tf):
    x, _ = inputs(tf, 8)
    train_once(tf, recurrent(tf, x), {x: FEATURES[:8]})


@case("beside a batch of a fixed size (2)")
def a_sparse_feed_beside_a_fixed_batch(tf):
    sparse, net = sparse_net(tf, tf.sparse_tensor_dense_matmul)
    y = tf.placeholder(tf.float64, [2, 1])
    train_once(tf, tf.reduce_mean(net * y), {sparse: SPARSE, y: TARGETS[:2]})


@case("a sparse tensor that is fed has another number of rows than the other examples")
def a_sparse_feed_of_another_size(tf):
    sparse, net = sparse_net(tf, tf.sparse_tensor_dense_matmul)
    y = tf.placeholder(tf.float64, [None, 1])
    train_once(tf, tf.reduce_mean(net) + tf.reduce_mean(y), {sparse: SPARSE, y: TARGETS[:4]})


@case("it multiplies a sparse tensor that is fed by its examples, which then depend on each other")
def a_sparse_matrix_between_examples(tf):
    sparse = tf.sparse_placeholder(tf.float64, [None, None])
    x, y = inputs(tf)
    net = tf.sparse_tensor_dense_matmul(sparse, predicted(tf, x))
    train_once(tf, tf.reduce_mean(net * y), {sparse: ([[0, 1], [1, 0]], [1.0, 2.0], [8, 8]), x: FEATURES[:8],
                                             y: TARGETS[:8]})


@case("it reads the scalar")
def single_examples(tf):
    x = tf.data.Dataset.from_tensor_slices(FEATURES[:, 0]).make_one_shot_iterator().get_next()
    weight = tf.get_variable("w", [], tf.float64, tf.ones_initializer())
    train_once(tf, tf.square(x * weight - 1))


@case("it reads the scalar 'bucket/dequeue_top:0'", keep="per-tower")
def buckets_for_each_tower(tf):
    x, y = tf.train.slice_input_producer([tf.constant(FEATURES), tf.constant(TARGETS)], shuffle=False)
    _, (x, y) = tf.contrib.training.bucket([x, y], tf.cast(y[0] > 0.5, tf.int32), 2, 2)
    train_once(tf, tf.reduce_mean(predicted(tf, x) * y), {})


@case("--keep global splits the batch that the script feeds", keep="per-tower")
def a_fed_batch_with_keep_per_tower(tf):
    x, y = inputs(tf)
    train_once(tf, tf.reduce_mean(predicted(tf, x) * y), dict(zip((x, y), batch())))


@case("read no examples")
def a_loss_without_examples(tf):
    train_once(tf, tf.reduce_sum(tf.square(tf.get_variable("w", [3]))))


@case("in a way that is not known")
def a_sum_divided_by_the_size_of_the_batch_in_each_example(tf):
    x, y = inputs(tf)
    rows = tf.cast(tf.shape(x)[0], tf.float64)
    train_once(tf, tf.reduce_sum(predicted(tf, x) * y / rows), dict(zip((x, y), batch())))


@case("by partial_run")
def a_partial_run(tf):
    x, y = inputs(tf)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(predicted(tf, x) * y))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.partial_run_setup([train], [x, y])
    raise AssertionError("it has trained")


# What is wrong with these is no single operation.
WITHOUT_LINE = ("a_partial_run", "a_loss_without_examples", "a_sparse_feed_of_another_size")


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_graph_that_cannot_be_replicated_ends_the_script(name):
    function, message, keep = CASES[name]
    lines = []
    with pytest.raises(SystemExit) as ended:
        run(lambda tf, _: function(tf), "", 2, keep, lines)
    assert ended.value.code == 2
    assert lines[-1].startswith("error: --towers 2: the graph can't be replicated: ")
    assert message in lines[-1]
    if name not in WITHOUT_LINE:
        assert "test_refusals.py, line" in lines[-1]

