"""The operation that may retain a fed array after the run, found in the graph."""
import numpy as np
import pytest


def staging():
    from tensorflow.python.ops.data_flow_ops import StagingArea

    from legacy_towers.compat import tf

    return StagingArea([tf.float32])


def resource(tf, shape):
    return tf.get_variable("v", shape, use_resource=True)


def through_loop(tf, x):
    return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y), [tf.constant(0), x])[1]


def keeping(tf, x):
    return staging().put([x])


# name, function of x (float32 [8, 4]), and the operation that retains it.
GRAPHS = [
    ("nothing", lambda tf, x: None, None),
    ("a product", lambda tf, x: tf.matmul(x, tf.ones([4, 2])), None),
    ("a product that is staged", lambda tf, x: keeping(tf, tf.matmul(x, tf.ones([4, 2]))), None),
    ("a product that is assigned", lambda tf, x: resource(tf, []).assign(tf.reduce_sum(tf.exp(x))), None),
    ("looked up in a variable", lambda tf, x: tf.gather(resource(tf, [9, 2]), tf.cast(x[:, 0], tf.int32)), None),
    ("a one-hot label", lambda tf, x: keeping(tf, tf.one_hot(tf.cast(x[:, 0], tf.int32), 3)), None),
    ("a queue", lambda tf, x: tf.FIFOQueue(2, [tf.float32]).enqueue(x), "QueueEnqueueV2"),
    ("many into a queue", lambda tf, x: tf.FIFOQueue(2, [tf.float32], [[4]]).enqueue_many(x), "QueueEnqueueManyV2"),
    ("a padding queue", lambda tf, x: tf.PaddingFIFOQueue(2, [tf.float32], [[8, None]]).enqueue(x), "QueueEnqueueV2"),
    ("a staging area", keeping, "Stage"),
    ("a resource variable", lambda tf, x: resource(tf, [8, 4]).assign(x), "AssignVariableOp"),
    ("a reference variable copies", lambda tf, x: tf.get_variable("r", [8, 4], use_resource=False).assign(x), None),
    ("added to a variable", lambda tf, x: resource(tf, [8, 4]).assign_add(x), None),
    ("a Python function", lambda tf, x: tf.py_func(np.sum, [x], tf.float32), "PyFunc"),
    ("a dataset", lambda tf, x: tf.data.make_initializable_iterator(
        tf.data.Dataset.from_tensor_slices(x)), "TensorSliceDataset"),
    ("an identity before it", lambda tf, x: keeping(tf, tf.identity(x)), "Stage"),
    ("views before it", lambda tf, x: keeping(tf, tf.squeeze(tf.expand_dims(tf.reshape(x, [4, 8]), 0))), "Stage"),
    ("a split", lambda tf, x: keeping(tf, tf.split(x, 2)[1]), "Stage"),
    ("a slice", lambda tf, x: keeping(tf, x[2:4]), "Stage"),
    ("unstacked", lambda tf, x: keeping(tf, tf.unstack(x)[3]), "Stage"),
    ("bits of it", lambda tf, x: keeping(tf, tf.bitcast(tf.bitcast(x, tf.int32), tf.float32)), "Stage"),
    ("a gradient stop", lambda tf, x: keeping(tf, tf.stop_gradient(tf.check_numerics(x, "x"))), "Stage"),
    ("a condition", lambda tf, x: keeping(tf, tf.cond(x[0, 0] > 0, lambda: x, lambda: x)), "Stage"),
    ("a loop", lambda tf, x: keeping(tf, through_loop(tf, x)), "Stage"),
    ("a product with 1, which grappler removes", lambda tf, x: keeping(tf, x * 1.0), "Stage"),
    ("a cast to the same", lambda tf, x: keeping(tf, tf.cast(x, tf.float32)), "Stage"),
    ("a sum over no axis", lambda tf, x: keeping(tf, tf.reduce_sum(x, axis=[])), "Stage"),
    ("a session handle", lambda tf, x: tf.get_session_handle(x), "GetSessionHandle"),
]


@pytest.mark.parametrize("use, expected", [graph[1:] for graph in GRAPHS], ids=[graph[0] for graph in GRAPHS])
def test_retaining_op(use, expected):
    from legacy_towers.compat import tf
    from legacy_towers.inputs.feeds.aliasing import retaining_op

    x = tf.placeholder(tf.float32, [8, 4])
    use(tf, x)
    keeper = retaining_op([x])
    assert (None if keeper is None else keeper.type) == expected


def test_a_train_step_retains_nothing():
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model_fn(batch, mode):
        kernel = tf.get_variable("kernel", [3, 3, 1, 4], initializer=tf.zeros_initializer())
        table = tf.get_variable("table", [10, 4], initializer=tf.zeros_initializer())
        net = tf.nn.relu(tf.nn.conv2d(batch["image"] - 0.5, kernel, 1, "SAME"))
        logits = tf.reduce_mean(net, [1, 2]) + tf.nn.embedding_lookup(table, batch["id"])
        tf.summary.image("image", batch["image"])
        return lt.TowerOutput(loss=tf.losses.sparse_softmax_cross_entropy(batch["label"], logits))

    ids = np.zeros(16, np.int32)
    images = {"image": np.zeros([16, 8, 8, 1], np.float32), "label": ids, "id": ids}
    pipeline = lt.inputs.feed(lt.Examples.from_arrays(images), per_tower_batch_size=4)
    step = lt.build_train_step(model_fn, pipeline, tf.train.AdamOptimizer(), ["/cpu:0", "/cpu:1"])
    assert step.input.hooks[0].retaining_op is None
