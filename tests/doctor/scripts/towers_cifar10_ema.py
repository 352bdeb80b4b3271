"""Towers as in TensorFlow's CIFAR-10 tutorial: losses collected by scope, averages of weights."""
import re

import numpy as np
import tensorflow as tf

NUM_GPUS, BATCH = 2, 8
rng = np.random.RandomState(0)


def variable_with_decay(name, shape, decay):
    with tf.device("/cpu:0"):
        var = tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=0.05))
    if decay is not None:
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(var), decay, name="weight_loss"))
    return var


def inference(images):
    with tf.variable_scope("conv1"):
        kernel = variable_with_decay("weights", [3, 3, 3, 4], None)
        conv = tf.nn.relu(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding="SAME"))
    with tf.variable_scope("local"):
        flat = tf.reshape(conv, [BATCH, -1])
        weights = variable_with_decay("weights", [144, 5], 0.004)
        return tf.matmul(flat, weights)


def tower_loss(scope, images, labels):
    logits = inference(images)
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.add_to_collection("losses", tf.reduce_mean(cross_entropy, name="cross_entropy"))
    losses = tf.get_collection("losses", scope)
    total = tf.add_n(losses, name="total_loss")
    for each in losses + [total]:
        tf.summary.scalar(re.sub("tower_[0-9]*/", "", each.op.name), each)
    return tf.identity(total)


def average_gradients(tower_grads):
    average = []
    for pairs in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in pairs]
        average.append((tf.reduce_mean(tf.concat(axis=0, values=grads), 0), pairs[0][1]))
    return average


with tf.Graph().as_default(), tf.device("/cpu:0"):
    global_step = tf.get_variable("global_step", [], initializer=tf.constant_initializer(0), trainable=False)
    lr = tf.train.exponential_decay(0.1, global_step, 350, 0.1, staircase=True)
    opt = tf.train.GradientDescentOptimizer(lr)
    image, label = tf.train.slice_input_producer(
        [rng.rand(96, 6, 6, 3).astype(np.float32), rng.randint(0, 5, 96)], shuffle=True)
    images, labels = tf.train.batch([image, label], BATCH, num_threads=2, capacity=6 * BATCH)
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(NUM_GPUS):
            with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i) as scope:
                image_batch, label_batch = tf.train.batch([image, label], BATCH, capacity=6 * BATCH)
                loss = tower_loss(scope, image_batch, label_batch)
                tf.get_variable_scope().reuse_variables()
                tower_grads.append(opt.compute_gradients(loss))
    grads = average_gradients(tower_grads)
    apply_op = opt.apply_gradients(grads, global_step=global_step)
    variable_averages = tf.train.ExponentialMovingAverage(0.99, global_step)
    train_op = tf.group(apply_op, variable_averages.apply(tf.trainable_variables()))
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for _ in range(10):
            _, value = sess.run([train_op, loss])
        print("loss %.3f" % value)
        coord.request_stop()
        coord.join(threads)
