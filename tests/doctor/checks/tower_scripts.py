"""Scripts with two or three towers, one of whose parts a test replaces."""

_SCRIPT = """
towers = {towers}
optimizer = tf.train.GradientDescentOptimizer(0.1)
data = tf.constant(np.arange(24 * towers, dtype=np.float32).reshape([-1, 2]) / 50)
images = tf.train.input_producer(data, shuffle=False, capacity=24).dequeue_many(4 * towers)
ids = tf.range(4)
l2 = lambda w: 0.01 * tf.nn.l2_loss(w)

def average(tower_pairs, divide=True):
    averaged = []
    for pairs in zip(*tower_pairs):
        gradient = tf.add_n([tf.convert_to_tensor(pair[0]) for pair in pairs if pair[0] is not None])
        averaged.append((gradient / float(len(pairs)) if divide else gradient, pairs[0][1]))
    return averaged

def model(x):
    {variables}
    return tf.matmul(x, fc) + bias

{before}
tower_pairs, losses = [], []
for i in range(towers):
    with tf.device("/cpu:0"), tf.name_scope("tower_%d" % i) as scope, \\
            tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
        x = tf.split(images, towers)[i]
        loss = {loss}
        {inside}
        losses.append(loss)
        tower_pairs.append({gradients})
op = {train}
steps({fetches})
"""
GET_VARIABLE = """fc = tf.get_variable("fc", [2, 1])
    bias = tf.get_variable("bias", [1])"""


def script(
    towers=3, variables=GET_VARIABLE, before="", loss="tf.reduce_mean(tf.square(model(x) - 1.0))", inside="pass",
    gradients="optimizer.compute_gradients(loss, [v for v in tf.trainable_variables() if v.op.name != 'w'])",
    train="optimizer.apply_gradients(average(tower_pairs))", fetches="op",
):
    """Returns a script that averages the gradients of towers correctly, but for the parts that are given."""
    return _SCRIPT.format(**locals())
