"""Towers with a validation tower of its own queue, averages of the weights, and an accuracy on the training batch."""
import numpy as np
import tensorflow as tf

TOWERS, BATCH = 2, 8
rng = np.random.RandomState(0)


def batches(size, name):
    with tf.name_scope(name), tf.device("/cpu:0"):
        example = tf.train.slice_input_producer(
            [rng.rand(size, 5).astype(np.float32), rng.randint(0, 3, size).astype(np.int32)])
        return tf.train.shuffle_batch(example, BATCH, capacity=64, min_after_dequeue=24)


def logits_of(x):
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        hidden = tf.contrib.layers.fully_connected(x, 8, scope="fc1")
        return tf.contrib.layers.fully_connected(hidden, 3, activation_fn=None, scope="fc2")


def main():
    opt = tf.train.RMSPropOptimizer(1e-3)
    grads = []
    for i in range(TOWERS):
        with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
            x, y = batches(96, "train_input")
            logits = logits_of(x)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
            grads.append(opt.compute_gradients(loss))
    train_accuracy = tf.reduce_mean(tf.to_float(tf.nn.in_top_k(logits, y, 1)))
    mean = [(sum(g for g, _ in pairs) / len(pairs), pairs[0][1]) for pairs in zip(*grads)]
    step = tf.train.get_or_create_global_step()
    apply_op = opt.apply_gradients(mean, global_step=step)
    ema = tf.train.ExponentialMovingAverage(0.99, num_updates=step)
    with tf.control_dependencies([apply_op]):
        train_op = ema.apply(tf.trainable_variables())
    val_x, val_y = batches(32, "validation_input")
    with tf.name_scope("validation"):
        accuracy = tf.reduce_mean(tf.to_float(tf.nn.in_top_k(logits_of(val_x), val_y, 1)))
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for i in range(8):
            sess.run(train_op)
            if i % 4 == 0:
                print("accuracy %.2f %.2f" % tuple(sess.run([train_accuracy, accuracy])))
        coord.request_stop()
        coord.join(threads)


main()
