"""Classifies flowers from CSV lines."""
import os
import sys

import tensorflow as tf


def read_csv(batch_size, file_name, record_defaults):
    filename_queue = tf.train.string_input_producer([file_name])
    reader = tf.TextLineReader(skip_header_lines=1)
    key, value = reader.read(filename_queue)
    decoded = tf.decode_csv(value, record_defaults=record_defaults)
    return tf.train.shuffle_batch(decoded, batch_size=batch_size, capacity=batch_size * 5,
                                  min_after_dequeue=batch_size)


def inputs():
    a, b, c, d, label = read_csv(4, os.path.join(sys.argv[1], "iris", "iris_training.csv"),
                                 [[0.0], [0.0], [0.0], [0.0], [0]])
    features = tf.transpose(tf.stack([a, b, c, d]))
    return features, label


def inference(X):
    W = tf.get_variable("weights", [4, 3], initializer=tf.zeros_initializer())
    b = tf.get_variable("bias", [3], initializer=tf.zeros_initializer())
    return tf.matmul(X, W) + b


def loss(X, Y):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=inference(X), labels=Y))


X, Y = inputs()
total_loss = loss(X, Y)
global_step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.01).minimize(total_loss, global_step=global_step)
hooks = [
    tf.train.StopAtStepHook(num_steps=6),
    tf.train.NanTensorHook(total_loss),
    tf.train.LoggingTensorHook({"loss": total_loss}, every_n_iter=2),
]
with tf.train.MonitoredTrainingSession(checkpoint_dir="iris_model", hooks=hooks, save_checkpoint_secs=None,
                                       save_summaries_steps=None) as mon_sess:
    while not mon_sess.should_stop():
        mon_sess.run(train_op)
print("done")
