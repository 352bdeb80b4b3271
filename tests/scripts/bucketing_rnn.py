"""Sequences of different lengths: bucket_by_sequence_length, dynamic_rnn and a CRF; two towers."""
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib.crf import crf_log_likelihood
from tensorflow.contrib.rnn import LSTMCell

TRAIN_DIR, MAX_STEPS = sys.argv[1], int(sys.argv[2])
WORDS, TAGS, BATCH = 20, 4, 4

rng = np.random.RandomState(9)
LENGTHS = rng.randint(2, 9, size=64)
SENTENCES = np.zeros([64, 9], np.int32)
for row, length in enumerate(LENGTHS):
    SENTENCES[row, :length] = rng.randint(1, WORDS, size=length)

# Each enqueue has one batch of one bucket, since the threads of the buckets have no fixed order.
queue = tf.FIFOQueue(2 * BATCH, [tf.int32, tf.int32], shapes=[[], [9]])
rows = tf.placeholder(tf.int32, [2 * BATCH])
enqueue = queue.enqueue_many([tf.gather(tf.constant(LENGTHS, tf.int32), rows), tf.gather(tf.constant(SENTENCES), rows)])
length, sentence = queue.dequeue()
sentence = sentence[:length]
lengths, (sentences, tags) = tf.contrib.training.bucket_by_sequence_length(
    input_length=length, tensors=[sentence, sentence % TAGS], batch_size=2 * BATCH, bucket_boundaries=[5],
    num_threads=1, capacity=32, dynamic_pad=True, allow_smaller_final_batch=False)
lengths.set_shape([2 * BATCH])


def tagger(words, lengths, tags):
    embeddings = tf.get_variable("embeddings", [WORDS, 6], initializer=tf.contrib.layers.xavier_initializer())
    inputs = tf.nn.embedding_lookup(embeddings, words)
    (output_fw, output_bw), _ = tf.nn.bidirectional_dynamic_rnn(
        LSTMCell(5), LSTMCell(5, use_peepholes=True), inputs, sequence_length=lengths, dtype=tf.float32)
    output = tf.concat([output_fw, output_bw], axis=-1)
    with tf.variable_scope("proj"):
        W = tf.get_variable("W", shape=[10, TAGS], initializer=tf.contrib.layers.xavier_initializer())
        b = tf.get_variable("b", shape=[TAGS], initializer=tf.zeros_initializer())
    s = tf.shape(output)
    logits = tf.reshape(tf.matmul(tf.reshape(output, [-1, 10]), W) + b, [-1, s[1], TAGS])
    log_likelihood, transition = crf_log_likelihood(inputs=logits, tag_indices=tags, sequence_lengths=lengths)
    decoded, score = tf.contrib.crf.crf_decode(logits, transition, lengths)
    mask = tf.sequence_mask(lengths, tf.shape(tags)[1])
    right = tf.reduce_sum(tf.to_int32(tf.logical_and(tf.equal(decoded, tags), mask)))
    return tf.reduce_mean(-log_likelihood), right


optimizer = tf.train.AdamOptimizer(0.02)
tower_grads, losses, rights = [], [], []
for i in xrange(2) if sys.version_info[0] == 2 else range(2):
    with tf.device("/gpu:%d" % i), tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
        part = slice(i * BATCH, (i + 1) * BATCH)
        loss, right = tagger(sentences[part], lengths[part], tags[part])
        gradients, variables = zip(*optimizer.compute_gradients(loss))
        gradients, norm = tf.clip_by_global_norm(gradients, 5.0)
        tower_grads.append(list(zip(gradients, variables)))
        losses.append(loss)
        rights.append(right)

average = []
for pairs in zip(*tower_grads):
    if isinstance(pairs[0][0], tf.IndexedSlices):
        values = tf.concat([g.values / 2 for g, _ in pairs], 0)
        indices = tf.concat([g.indices for g, _ in pairs], 0)
        average.append((tf.IndexedSlices(values, indices, pairs[0][0].dense_shape), pairs[0][1]))
    else:
        average.append((tf.reduce_mean([g for g, _ in pairs], 0), pairs[0][1]))
train_op = optimizer.apply_gradients(average)
loss = tf.reduce_mean(losses)

saver = tf.train.Saver()
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    if tf.train.latest_checkpoint(TRAIN_DIR):
        saver.restore(sess, tf.train.latest_checkpoint(TRAIN_DIR))
    else:
        saver.save(sess, os.path.join(TRAIN_DIR, "model.ckpt"), global_step=0)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    buckets = [np.flatnonzero(LENGTHS < 5), np.flatnonzero(LENGTHS >= 5)]
    for step in range(MAX_STEPS):
        start = step // 2 * 2 * BATCH
        sess.run(enqueue, {rows: np.roll(buckets[step % 2], -start)[:2 * BATCH]})
        _, value, right, widths = sess.run([train_op, loss, sum(rights), tf.shape(sentences)])
        print("step {}: loss = {:.8f}, {} tags right".format(step, value, right))
    coord.request_stop()
    sess.run(queue.close(cancel_pending_enqueues=True))
    sess.run([op for op in sess.graph.get_operations() if op.type == "QueueCloseV2"
              and op.get_attr("cancel_pending_enqueues")])
    coord.join(threads, stop_grace_period_secs=5, ignore_live_threads=True)
