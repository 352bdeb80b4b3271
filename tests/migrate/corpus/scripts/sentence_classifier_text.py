"""Classifies tweets: words are looked up in a vocabulary, sentences are padded."""
import os
import sys

import tensorflow as tf
from tensorflow.contrib import lookup

BATCH = 4
EMBEDDING = 6


def get_example(path, vocabulary):
    queue = tf.train.string_input_producer([path], num_epochs=3)
    _, line = tf.TextLineReader().read(queue)
    label, text = tf.decode_csv(line, [[0], ['']], field_delim='\t')
    words = tf.string_split([text]).values
    table = lookup.index_table_from_file(vocabulary, num_oov_buckets=1)
    ids = table.lookup(words)
    return ids, tf.size(ids), label


ids, length, label = get_example(os.path.join(sys.argv[1], 'text', 'tweets.tsv'),
                                 os.path.join(sys.argv[1], 'text', 'vocabulary.txt'))
ids_batch, lengths, labels = tf.train.batch([ids, length, label], BATCH, capacity=32, dynamic_pad=True)

embeddings = tf.get_variable('embeddings', [11, EMBEDDING])
embedded = tf.nn.embedding_lookup(embeddings, ids_batch)
cell = tf.nn.rnn_cell.GRUCell(5)
_, state = tf.nn.dynamic_rnn(cell, embedded, sequence_length=lengths, dtype=tf.float32)
logits = tf.squeeze(tf.layers.dense(state, 1), -1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.to_float(labels), logits=logits))
optimizer = tf.train.AdamOptimizer()
grads, variables = zip(*optimizer.compute_gradients(loss))
grads, _ = tf.clip_by_global_norm(grads, 5.0)
train_op = optimizer.apply_gradients(zip(grads, variables))

init = [tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()]
with tf.Session() as sess:
    sess.run(init)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    epoch_loss, n = 0., 0
    try:
        while True:
            epoch_loss += sess.run([loss, train_op])[0]
            n += 1
    except tf.errors.OutOfRangeError:
        print('mean loss %.3f in %d batches' % (epoch_loss / n, n))
    finally:
        coord.request_stop()
        coord.join(threads)
