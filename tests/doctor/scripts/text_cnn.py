"""Sentence CNN: embedding, filters of several widths, dropout, dev evaluation, checkpoints, own merged summaries."""
import os
import tempfile

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
LENGTH, VOCAB, CLASSES = 10, 30, 2
x_all = rng.randint(0, VOCAB, (80, LENGTH))
y_all = np.eye(CLASSES)[(x_all == 3).any(1).astype(int)]


class TextCNN(object):
    def __init__(self, filter_sizes, num_filters, l2_reg_lambda):
        self.input_x = tf.placeholder(tf.int32, [None, LENGTH], name="input_x")
        self.input_y = tf.placeholder(tf.float32, [None, CLASSES], name="input_y")
        self.keep = tf.placeholder(tf.float32, name="dropout_keep_prob")
        l2_loss = tf.constant(0.0)
        with tf.device("/cpu:0"), tf.name_scope("embedding"):
            self.W = tf.Variable(tf.random_uniform([VOCAB, 8], -1.0, 1.0), name="W")
            embedded = tf.expand_dims(tf.nn.embedding_lookup(self.W, self.input_x), -1)
        pooled = []
        for size in filter_sizes:
            with tf.name_scope("conv-maxpool-%s" % size):
                W = tf.Variable(tf.truncated_normal([size, 8, 1, num_filters], stddev=0.1), name="W")
                b = tf.Variable(tf.constant(0.1, shape=[num_filters]), name="b")
                conv = tf.nn.conv2d(embedded, W, strides=[1, 1, 1, 1], padding="VALID")
                h = tf.nn.relu(tf.nn.bias_add(conv, b))
                pooled.append(tf.nn.max_pool(h, [1, LENGTH - size + 1, 1, 1], [1, 1, 1, 1], "VALID"))
        flat = tf.reshape(tf.concat(pooled, 3), [-1, num_filters * len(filter_sizes)])
        drop = tf.nn.dropout(flat, self.keep)
        W = tf.get_variable("W", [num_filters * len(filter_sizes), CLASSES],
                            initializer=tf.contrib.layers.xavier_initializer())
        b = tf.Variable(tf.constant(0.1, shape=[CLASSES]), name="b")
        l2_loss += tf.nn.l2_loss(W) + tf.nn.l2_loss(b)
        scores = tf.nn.xw_plus_b(drop, W, b, name="scores")
        losses = tf.nn.softmax_cross_entropy_with_logits(logits=scores, labels=self.input_y)
        self.loss = tf.reduce_mean(losses) + l2_reg_lambda * l2_loss
        self.accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(scores, 1), tf.argmax(self.input_y, 1)), "float"))


with tf.Graph().as_default():
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False))
    with sess.as_default():
        cnn = TextCNN([2, 3], 4, 0.1)
        global_step = tf.Variable(0, name="global_step", trainable=False)
        optimizer = tf.train.AdamOptimizer(1e-3)
        grads_and_vars = optimizer.compute_gradients(cnn.loss)
        train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
        out = tempfile.mkdtemp()
        train_summary = tf.summary.merge([tf.summary.scalar("loss", cnn.loss), tf.summary.scalar("acc", cnn.accuracy)])
        writer = tf.summary.FileWriter(out, sess.graph)
        saver = tf.train.Saver(tf.global_variables(), max_to_keep=5)
        sess.run(tf.global_variables_initializer())
        for _ in range(15):
            rows = rng.choice(64, 16)
            _, step, summaries, loss = sess.run([train_op, global_step, train_summary, cnn.loss], {
                cnn.input_x: x_all[rows], cnn.input_y: y_all[rows], cnn.keep: 0.5})
            writer.add_summary(summaries, step)
            if step % 10 == 0:
                print("dev", sess.run([cnn.loss, cnn.accuracy], {
                    cnn.input_x: x_all[64:], cnn.input_y: y_all[64:], cnn.keep: 1.0}))
                saver.save(sess, os.path.join(out, "model"), global_step=step)
    writer.close()
    sess.close()
