"""Training scripts that were written for one device, in small: each trains a few steps and returns what it saw.

A script is a function of (tf, folder) that returns {name: values}: losses, metrics, and variables at the end.
"""
import os
import threading

import numpy as np

STEPS = 4
ROWS = 12
RNG = np.random.RandomState(7)
IMAGES = RNG.rand(STEPS * ROWS, 6, 6, 1).astype(np.float32)
FEATURES = RNG.rand(STEPS * ROWS, 5)
LABELS = RNG.randint(0, 3, STEPS * ROWS)
TARGETS = RNG.rand(STEPS * ROWS, 1)
WORDS = RNG.randint(0, 20, [STEPS * ROWS, 4])
# Batches whose terms cancel each other: the sum over all rows is 3, so that float32 rounds it by about 4e-5 of it.
CANCELLING = np.random.RandomState(5).randn(STEPS, ROWS, 500, 4)
CANCELLING -= (CANCELLING.sum(axis=(1, 2), keepdims=True) - 3.0) / (ROWS * 500)
SCRIPTS = []


def script(function):
    SCRIPTS.append(function)
    return function


def rows(step, size=ROWS):
    return slice(step * size, (step + 1) * size)


def normal(tf, seed):
    return tf.random_normal_initializer(stddev=0.3, seed=seed)


def dense(tf, inputs, units, seed, **keywords):
    return tf.layers.dense(inputs, units, kernel_initializer=normal(tf, seed), name="dense_{}".format(seed), **keywords)


def variables(tf, session):
    return {each.op.name: value for each, value in zip(tf.global_variables(), session.run(tf.global_variables()))}


def trained(tf, fetches, feeds, steps=STEPS, evaluation=None):
    """Trains, and returns what each step fetched and the variables at the end."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        seen = [session.run(fetches, feeds(step)) for step in range(steps)]
        result = {name: [each[name] for each in seen if each[name] is not None] for name in fetches if name != "train"}
        if evaluation is not None:
            result["evaluated"] = session.run(*evaluation)
        result.update(variables(tf, session))
    return result


@script
def mlp_with_feeds(tf, folder):
    x = tf.placeholder(tf.float64, [None, 5])
    y = tf.placeholder(tf.int64, [None])
    logits = dense(tf, dense(tf, x, 8, 1, activation=tf.nn.relu), 3, 2)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    fetches = {"train": train, "loss": loss, "accuracy": accuracy, "logits": logits, "perplexity": tf.exp(loss)}
    everything = {x: FEATURES, y: LABELS}
    return trained(tf, fetches, lambda step: {x: FEATURES[rows(step)], y: LABELS[rows(step)]},
                   evaluation=(accuracy, everything))


@script
def feeds_that_are_read_by_place(tf, folder):
    """Factorization machines feed the probabilities of dropout per layer, and other scripts a table of embeddings."""
    words = tf.placeholder(tf.int32, [None, 4])
    y = tf.placeholder(tf.float64, [None, 1])
    keep = tf.placeholder(tf.float64, [None])
    table = tf.placeholder(tf.float64, [None, 3])
    net = tf.reshape(tf.nn.embedding_lookup(table, words), [-1, 12])
    net = tf.nn.dropout(dense(tf, net, 6, 1, activation=tf.nn.relu), keep[0], seed=1)
    net = tf.nn.dropout(dense(tf, net, 4, 2, activation=tf.nn.relu), keep[1], seed=2)
    loss = tf.reduce_mean(tf.squared_difference(dense(tf, net, 1, 3), y))
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    # The last batch has as many rows as there are layers.
    sizes = [ROWS, 5, 3, 2]
    return trained(tf, {"train": train, "loss": loss}, lambda step: {
        words: WORDS[rows(step)][: sizes[step]], y: TARGETS[rows(step)][: sizes[step]], keep: [0.75, 0.5],
        table: FEATURES[:20, :3]})


@script
def sparse_feeds(tf, folder):
    """A wide linear part of sparse features beside a network of some of them."""
    wide = tf.sparse_placeholder(tf.float64, [None, 20])
    deep = tf.sparse_placeholder(tf.float64)
    y = tf.placeholder(tf.float64, [None, 1])
    weights = tf.get_variable("wide", [20, 1], tf.float64, normal(tf, 1))
    net = tf.sparse_tensor_dense_matmul(wide, weights)
    features = tf.reshape(tf.sparse_tensor_to_dense(deep, validate_indices=False), [-1, 5])
    net += dense(tf, dense(tf, features, 6, 2, activation=tf.nn.relu), 1, 3)
    loss = tf.reduce_mean(tf.squared_difference(net, y))
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    sizes = [ROWS, 5, 1, 7]

    def feeds(step):
        here = slice(rows(step).start, rows(step).start + sizes[step])
        words = [[row, word] for row, each in enumerate(WORDS[here]) for word in sorted(set(each))]
        every_other = [[row, column] for row in range(sizes[step]) for column in (0, 2, 4)]
        return {
            wide: tf.SparseTensorValue(words, np.ones(len(words)), [sizes[step], 20]),
            deep: (every_other, FEATURES[here][:, ::2].reshape(-1), [sizes[step], 5]), y: TARGETS[here]}

    return trained(tf, {"train": train, "loss": loss}, feeds)


@script
def uneven_batches_and__a_loss_that_is_a_sum(tf, folder):
    x = tf.placeholder(tf.float64, [None, 5])
    y = tf.placeholder(tf.float64, [None, 1])
    errors = tf.squared_difference(dense(tf, x, 1, 1), y)
    loss = tf.reduce_sum(errors) + 0.1 * tf.nn.l2_loss(tf.trainable_variables()[0])
    train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    sizes = [7, 5, 1, 2]
    return trained(tf, {"train": train, "loss": loss, "worst": tf.reduce_max(errors), "errors": errors},
                   lambda step: {x: FEATURES[:sizes[step]], y: TARGETS[:sizes[step]]})


@script
def uneven_batches_and_a_mean_in_a_branch(tf, folder):
    x = tf.placeholder(tf.float64, [None, 5])
    y = tf.placeholder(tf.float64, [None, 1])
    is_robust = tf.placeholder(tf.bool, [])
    errors = dense(tf, x, 1, 1) - y
    loss = tf.cond(is_robust, lambda: tf.reduce_mean(tf.abs(errors)), lambda: tf.reduce_mean(tf.square(errors)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    sizes = [8, 7, 5, 3]
    return trained(tf, {"train": train, "loss": loss},
                   lambda step: {x: FEATURES[:sizes[step]], y: TARGETS[:sizes[step]], is_robust: step % 2 == 1})


@script
def convolutions(tf, folder):
    x = tf.placeholder(tf.float32, [None, 6, 6, 1])
    y = tf.placeholder(tf.int32, [None])
    net = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu, kernel_initializer=normal(tf, 1))
    net = tf.layers.flatten(tf.layers.max_pooling2d(net, 2, 2))
    logits = dense(tf, net, 3, 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
    train = tf.train.AdagradOptimizer(0.1).minimize(loss)
    return trained(tf, {"train": train, "loss": loss, "probabilities": tf.nn.softmax(logits)},
                   lambda step: {x: IMAGES[rows(step)], y: LABELS[rows(step)]})


@script
def recurrent_with_a_while_loop(tf, folder):
    x = tf.placeholder(tf.float32, [None, 6, 6])
    length = tf.placeholder(tf.int32, [None])
    y = tf.placeholder(tf.int32, [None])
    cell = tf.nn.rnn_cell.GRUCell(5, kernel_initializer=normal(tf, 1))
    outputs, state = tf.nn.dynamic_rnn(cell, x, sequence_length=length, dtype=tf.float32)
    logits = dense(tf, state, 3, 2)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    loss += 0.01 * tf.reduce_mean(tf.square(outputs))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    return trained(tf, {"train": train, "loss": loss, "logits": logits}, lambda step: {
        x: IMAGES[rows(step), :, :, 0], y: LABELS[rows(step)], length: LABELS[rows(step)] + 3})


@script
def dropout_with_seeds(tf, folder):
    x = tf.placeholder(tf.float64, [None, 5])
    y = tf.placeholder(tf.float64, [None, 1])
    keep_prob = tf.placeholder(tf.float64)
    net = tf.nn.dropout(x, keep_prob=keep_prob, seed=3)
    net = tf.nn.dropout(dense(tf, net, 8, 1, activation=tf.nn.tanh), keep_prob=keep_prob, seed=4)
    loss = tf.reduce_mean(tf.square(dense(tf, net, 1, 2) - y))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return trained(tf, {"train": train, "loss": loss},
                   lambda step: {x: FEATURES[rows(step)], y: TARGETS[rows(step)], keep_prob: 0.7})


@script
def embedding_with_sparse_gradients(tf, folder):
    words = tf.placeholder(tf.int32, [None, 4])
    y = tf.placeholder(tf.float64, [None, 1])
    table = tf.get_variable("table", [20, 6], tf.float64, normal(tf, 1))
    net = tf.reduce_mean(tf.nn.embedding_lookup(table, words), 1)
    loss = tf.reduce_mean(tf.square(dense(tf, net, 1, 2) - y))
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    return trained(tf, {"train": train, "loss": loss}, lambda step: {words: WORDS[rows(step)], y: TARGETS[rows(step)]})


@script
def sparse_gradients_of_gradient_descent(tf, folder):
    words = tf.placeholder(tf.int32, [None, 4])
    table = tf.get_variable("table", [20, 6], tf.float64, normal(tf, 1))
    bags = tf.nn.embedding_lookup(table, words)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(bags), [1, 2])) + 0.01 * tf.reduce_sum(tf.square(table[0]))
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(loss)
    clipped, norm = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 0.5)
    train = optimizer.apply_gradients(zip(clipped, [variable for _, variable in pairs]))
    return trained(tf, {"train": train, "loss": loss}, lambda step: {words: WORDS[rows(step)]})


@script
def clipping_decay_and_averages(tf, folder):
    x = tf.placeholder(tf.float64, [None, 5])
    y = tf.placeholder(tf.float64, [None, 1])
    step_number = tf.train.get_or_create_global_step()
    loss = tf.losses.absolute_difference(y, dense(tf, x, 1, 1))
    rate = tf.train.exponential_decay(0.5, step_number, 2, 0.5, staircase=True)
    optimizer = tf.train.AdamOptimizer(rate)
    pairs = optimizer.compute_gradients(loss)
    clipped, norm = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 0.01)
    apply = optimizer.apply_gradients(zip(clipped, [variable for _, variable in pairs]), global_step=step_number)
    averages = tf.train.ExponentialMovingAverage(0.9, step_number)
    of_losses = tf.train.ExponentialMovingAverage(0.9, name="losses")
    with tf.control_dependencies([apply]):
        train = tf.group(averages.apply(tf.trainable_variables()), of_losses.apply([loss]))
    return trained(tf, {"train": train, "loss": loss, "norm": norm, "rate": rate},
                   lambda step: {x: FEATURES[rows(step)], y: TARGETS[rows(step)]})


@script
def regularization_and_summaries(tf, folder):
    x = tf.placeholder(tf.float32, [None, 5])
    y = tf.placeholder(tf.float32, [None, 1])
    net = dense(tf, x, 4, 1, kernel_regularizer=lambda weights: 0.1 * tf.reduce_sum(tf.abs(weights)))
    tf.losses.mean_squared_error(y, dense(tf, net, 1, 2))
    total = tf.losses.get_total_loss()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
    tf.summary.scalar("total", total)
    tf.summary.histogram("net", net)
    summaries = tf.summary.merge_all()
    written = trained(tf, {"train": train, "total": total, "summaries": summaries},
                      lambda step: {x: FEATURES[rows(step)], y: TARGETS[rows(step)]})
    events = [tf.Summary.FromString(each) for each in written.pop("summaries")]
    written["summarized"] = [value.simple_value for event in events for value in event.value[:1]]
    written["histograms"] = [value.histo.sum for event in events for value in event.value[1:]]
    return written


@script
def masked_loss_and_streaming_metric(tf, folder):
    x = tf.placeholder(tf.float64, [None, 5])
    y = tf.placeholder(tf.float64, [None, 1])
    mask = tf.placeholder(tf.float64, [None, 1])
    prediction = dense(tf, x, 1, 1)
    loss = tf.reduce_sum(mask * tf.square(prediction - y)) / tf.reduce_sum(mask)
    metric, update = tf.metrics.mean_absolute_error(y, prediction)
    train = tf.train.RMSPropOptimizer(0.01).minimize(loss)
    return trained(tf, {"train": train, "loss": loss, "update": update}, lambda step: {
        x: FEATURES[rows(step)], y: TARGETS[rows(step)], mask: (LABELS[rows(step)] > 0).astype(float)[:, None]})


@script
def two_losses_in_turns(tf, folder):
    real = tf.placeholder(tf.float64, [None, 5])
    noise = tf.placeholder(tf.float64, [None, 2])
    with tf.variable_scope("generator"):
        made = dense(tf, noise, 5, 1)

    def score(inputs, reuse):
        with tf.variable_scope("discriminator", reuse=reuse):
            return dense(tf, inputs, 1, 2)

    of_real, of_made = score(real, False), score(made, True)
    loss_d = tf.reduce_mean(tf.nn.softplus(-of_real)) + tf.reduce_mean(tf.nn.softplus(of_made))
    loss_g = tf.reduce_mean(tf.nn.softplus(-of_made))
    train_d, train_g = (
        tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=tf.trainable_variables(scope))
        for loss, scope in ((loss_d, "discriminator"), (loss_g, "generator"))
    )
    seen = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(STEPS):
            feed = {real: FEATURES[rows(step)], noise: FEATURES[rows(step), :2]}
            seen.append(session.run([train_d, loss_d], feed)[1])
            seen.append(session.run([train_g, loss_g], {noise: feed[noise]})[1])
        return dict(variables(tf, session), losses=seen)


def write_records(tf, folder):
    path = os.path.join(folder, "train.tfrecord")
    if not os.path.exists(path):
        with tf.python_io.TFRecordWriter(path) as writer:
            for features, target in zip(FEATURES, TARGETS):
                writer.write(tf.train.Example(features=tf.train.Features(feature={
                    "x": tf.train.Feature(float_list=tf.train.FloatList(value=features)),
                    "y": tf.train.Feature(float_list=tf.train.FloatList(value=target)),
                })).SerializeToString())
    return path


def regression(tf, x, y, optimizer=None, **keywords):
    loss = tf.reduce_mean(tf.square(dense(tf, dense(tf, x, 4, 1, activation=tf.nn.tanh), 1, 2) - y))
    optimizer = tf.train.GradientDescentOptimizer(0.1) if optimizer is None else optimizer
    return loss, optimizer.minimize(loss, **keywords)


def trained_from_queues(tf, loss, train):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        losses = []
        try:
            while not coordinator.should_stop():
                losses.append(session.run([train, loss])[1])
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads)
        return dict(variables(tf, session), losses=losses)


@script
def queue_of_records(tf, folder):
    queue = tf.train.string_input_producer([write_records(tf, folder)], num_epochs=1)
    _, record = tf.TFRecordReader().read(queue)
    example = tf.parse_single_example(record, {
        "x": tf.FixedLenFeature([5], tf.float32), "y": tf.FixedLenFeature([1], tf.float32)})
    x, y = tf.train.batch([example["x"], example["y"]], batch_size=ROWS)
    return trained_from_queues(tf, *regression(tf, x, y))


@script
def slice_producer_with_dropout(tf, folder):
    x, y = tf.train.slice_input_producer([tf.constant(FEATURES), tf.constant(TARGETS)], num_epochs=1, shuffle=False)
    x, y = tf.train.batch([x, y], batch_size=ROWS)
    x = tf.nn.dropout(tf.reshape(x, [ROWS, 5]), keep_prob=0.6, seed=5)
    return trained_from_queues(tf, *regression(tf, x, y, tf.train.AdamOptimizer(0.05)))


@script
def shuffle_batch(tf, folder):
    x, y = tf.train.slice_input_producer([tf.constant(FEATURES), tf.constant(TARGETS)], num_epochs=1, shuffle=False)
    # All elements are equal, so that their order does not matter.
    x, y = tf.train.shuffle_batch([x * 0 + FEATURES[0], y * 0 + 1], ROWS, capacity=48, min_after_dequeue=12, seed=1)
    return trained_from_queues(tf, *regression(tf, x, y, tf.train.MomentumOptimizer(0.1, 0.9)))


@script
def queue_that_a_thread_fills(tf, folder):
    """The first step waits for the thread's first session run, which comes a second later."""
    fed = tf.placeholder(tf.float64, [None, 5]), tf.placeholder(tf.float64, [None, 1])
    queue = tf.FIFOQueue(2 * ROWS, [tf.float64, tf.float64], [[5], [1]])
    enqueue = queue.enqueue_many(fed)
    loss, train = regression(tf, *queue.dequeue_many(ROWS))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())

        def fill():
            for step in range(STEPS):
                session.run(enqueue, dict(zip(fed, (FEATURES[rows(step)], TARGETS[rows(step)]))))

        thread = threading.Timer(1.0, fill)
        thread.start()
        losses = [session.run([train, loss])[1] for _ in range(STEPS)]
        thread.join()
        return dict(variables(tf, session), losses=losses)


def dataset(tf):
    return tf.data.Dataset.from_tensor_slices((FEATURES, TARGETS)).batch(ROWS + 1)


@script
def one_shot_iterator(tf, folder):
    x, y = dataset(tf).make_one_shot_iterator().get_next()
    loss, train = regression(tf, x, y)
    return trained(tf, {"train": train, "loss": loss}, lambda step: None)


@script
def initializable_iterator_with_a_fixed_batch(tf, folder):
    examples = tf.data.Dataset.from_tensor_slices((FEATURES, TARGETS))
    iterator = examples.batch(ROWS, drop_remainder=True).make_initializable_iterator()
    x, y = iterator.get_next()
    loss, train = regression(tf, x, y, tf.train.AdamOptimizer(0.01))
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(iterator.initializer)
            try:
                while True:
                    losses.append(session.run([train, loss])[1])
            except tf.errors.OutOfRangeError:
                pass
        return dict(variables(tf, session), losses=losses)


@script
def monitored_training_session(tf, folder):
    x, y = dataset(tf).repeat().make_one_shot_iterator().get_next()
    step_number = tf.train.get_or_create_global_step()
    loss, train = regression(tf, x, y, global_step=step_number)
    tf.summary.scalar("loss", loss)
    losses = []
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=os.path.join(folder, "monitored"), save_summaries_steps=2, log_step_count_steps=None,
        hooks=[tf.train.StopAtStepHook(last_step=5), tf.train.NanTensorHook(loss)],
    ) as session:
        while not session.should_stop():
            losses.append(session.run([train, loss])[1])
    reader = tf.train.load_checkpoint(os.path.join(folder, "monitored"))
    return dict({name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}, losses=losses)


@script
def estimator(tf, folder):
    def model_fn(features, labels, mode):
        loss, train = regression(tf, features, labels, global_step=tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    made = tf.estimator.Estimator(model_fn, os.path.join(folder, "estimator"))
    made.train(lambda: dataset(tf).repeat().make_one_shot_iterator().get_next(), steps=4)
    evaluated = made.evaluate(lambda: dataset(tf).make_one_shot_iterator().get_next())
    return dict({name: made.get_variable_value(name) for name in made.get_variable_names()}, loss=evaluated["loss"])


@script
def supervisor(tf, folder):
    x, y = tf.train.slice_input_producer([tf.constant(FEATURES), tf.constant(TARGETS)], shuffle=False)
    x, y = tf.train.batch([x, y], batch_size=ROWS)
    loss, train = regression(tf, x, y, global_step=tf.train.get_or_create_global_step())
    manager = tf.train.Supervisor(logdir=None, summary_op=None)
    with manager.managed_session() as session:
        losses = [session.run([train, loss])[1] for _ in range(STEPS)]
        return dict(variables(tf, session), losses=losses)


@script
def slim_train(tf, folder):
    slim = tf.contrib.slim
    x, y = dataset(tf).repeat().make_one_shot_iterator().get_next()
    net = slim.fully_connected(tf.cast(x, tf.float32), 4, weights_initializer=normal(tf, 1), activation_fn=tf.nn.tanh,
                               weights_regularizer=slim.l2_regularizer(0.1))
    prediction = slim.fully_connected(net, 1, activation_fn=None, weights_initializer=normal(tf, 2))
    tf.losses.mean_squared_error(tf.cast(y, tf.float32), prediction)
    train = slim.learning.create_train_op(tf.losses.get_total_loss(), tf.train.MomentumOptimizer(0.1, 0.9))
    logs = os.path.join(folder, "slim")
    slim.learning.train(train, logs, number_of_steps=4, save_summaries_secs=0, log_every_n_steps=100)
    reader = tf.train.load_checkpoint(logs)
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


@script
def a_bias_whose_gradient_cancels(tf, folder):
    x = tf.placeholder(tf.float32, [None, 500, 4])
    bias = tf.get_variable("bias", [4], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.nn.bias_add(tf.zeros_like(x), bias) * x)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    return trained(tf, {"train": train}, lambda step: {x: CANCELLING[step]})
