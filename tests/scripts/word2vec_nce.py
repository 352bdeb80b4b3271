"""Skip-gram vectors with noise-contrastive estimation; the embedding is partitioned into two variables."""
from __future__ import print_function
import collections
import math
import os
import sys

import numpy as np
import tensorflow as tf

log_dir, steps = sys.argv[1], int(sys.argv[2])
vocabulary_size, embedding_size, batch_size, num_skips, skip_window, num_sampled = 24, 6, 12, 2, 1, 7
words = np.minimum(np.random.RandomState(15).geometric(0.12, size=400), vocabulary_size) - 1
data_index = 0


def generate_batch():
    global data_index
    batch = np.ndarray(shape=(batch_size), dtype=np.int32)
    labels = np.ndarray(shape=(batch_size, 1), dtype=np.int32)
    span = 2 * skip_window + 1
    window = collections.deque(maxlen=span)
    for _ in range(span):
        window.append(words[data_index])
        data_index = (data_index + 1) % len(words)
    for i in range(batch_size // num_skips):
        for j, target in enumerate([0, 2]):
            batch[i * num_skips + j] = window[skip_window]
            labels[i * num_skips + j, 0] = window[target]
        window.append(words[data_index])
        data_index = (data_index + 1) % len(words)
    return batch, labels


graph = tf.Graph()
with graph.as_default():
    with tf.name_scope('inputs'):
        train_inputs = tf.placeholder(tf.int32, shape=[batch_size])
        train_labels = tf.placeholder(tf.int32, shape=[batch_size, 1])
    with tf.device('/cpu:0'), tf.variable_scope('embeddings', partitioner=tf.fixed_size_partitioner(2)):
        embeddings = tf.get_variable('table', [vocabulary_size, embedding_size],
                                     initializer=tf.random_uniform_initializer(-1.0, 1.0))
        embed = tf.nn.embedding_lookup(embeddings, train_inputs, partition_strategy='div')
    with tf.device('/gpu:0'):
        nce_weights = tf.Variable(tf.truncated_normal([vocabulary_size, embedding_size],
                                                      stddev=1.0 / math.sqrt(embedding_size)), name='nce_weights')
        nce_biases = tf.Variable(tf.zeros([vocabulary_size]), name='nce_biases')
        sampled = tf.nn.log_uniform_candidate_sampler(
            true_classes=tf.cast(train_labels, tf.int64), num_true=1, num_sampled=num_sampled, unique=True,
            range_max=vocabulary_size, seed=16)
        loss = tf.reduce_mean(tf.nn.nce_loss(
            weights=nce_weights, biases=nce_biases, labels=train_labels, inputs=embed, num_sampled=num_sampled,
            num_classes=vocabulary_size, sampled_values=sampled, remove_accidental_hits=True))
        optimizer = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    norm = tf.sqrt(tf.reduce_sum(tf.square(tf.convert_to_tensor(embeddings)), 1, keep_dims=True))
    normalized_embeddings = tf.convert_to_tensor(embeddings) / norm
    similarity = tf.matmul(normalized_embeddings[:3], normalized_embeddings, transpose_b=True)
    tf.summary.scalar('loss', loss)
    merged = tf.summary.merge_all()
    init = tf.global_variables_initializer()
    saver = tf.train.Saver()

with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as session:
    writer = tf.summary.FileWriter(os.path.join(log_dir, 'logs'), session.graph)
    init.run()
    if tf.train.latest_checkpoint(log_dir):
        saver.restore(session, tf.train.latest_checkpoint(log_dir))
    else:
        saver.save(session, os.path.join(log_dir, 'model.ckpt'), global_step=0)
    for step in range(steps):
        batch_inputs, batch_labels = generate_batch()
        run_metadata = tf.RunMetadata()
        _, summary, loss_val = session.run([optimizer, merged, loss], run_metadata=run_metadata, feed_dict={
            train_inputs: batch_inputs, train_labels: batch_labels})
        writer.add_summary(summary, step)
        if step == steps - 1:
            writer.add_run_metadata(run_metadata, 'step%d' % step)
        print('step', step, 'loss = %.8f' % loss_val)
    print('nearest:', (-similarity.eval()).argsort()[:, 1:3].tolist())
    writer.close()
