"""Trains a bag-of-words tagger on sentences that are bucketed by their lengths."""
import os
import sys

import tensorflow as tf

BUCKETS = [4, 6, 8]


def read_text(path, epochs):
    queue = tf.train.string_input_producer([path], num_epochs=epochs, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    tokens = tf.string_split([line], ' ').values
    ids = tf.string_to_hash_bucket_fast(tokens, 20)
    return ids, tf.size(ids)


def main():
    ids, length = read_text(os.path.join(sys.argv[1], 'words.txt'), 2)
    lengths, outputs = tf.contrib.training.bucket_by_sequence_length(
        input_length=length, tensors=[ids, tf.reduce_sum(ids) % 2], batch_size=3, bucket_boundaries=BUCKETS,
        num_threads=1, capacity=50, dynamic_pad=True, allow_smaller_final_batch=True)
    ids_batch, labels = outputs
    embedding = tf.get_variable('embedding', [20, 4])
    mask = tf.expand_dims(tf.sequence_mask(lengths, tf.shape(ids_batch)[1], dtype=tf.float32), 2)
    bag = tf.reduce_sum(tf.nn.embedding_lookup(embedding, ids_batch) * mask, 1)
    logits = tf.squeeze(tf.contrib.layers.fully_connected(bag, 1, activation_fn=None), 1)
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    train_op = tf.contrib.training.create_train_op(loss, tf.train.AdamOptimizer(1e-3))

    sentences = 0
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():
                _, n = sess.run([train_op, lengths])
                sentences += len(n)
        except tf.errors.OutOfRangeError:
            print('sentences', sentences)
        finally:
            coord.request_stop()
            coord.join(threads)


main()
