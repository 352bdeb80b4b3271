"""Reads pairs of sentences from two files, line by line, for a translation model."""
import os
import sys

import tensorflow as tf


class ParallelCorpus(object):
    """Pairs of token ids, padded to the longest of the batch."""

    def __init__(self, source, target, vocabulary, eos=1):
        self._eos = eos
        self._vocabulary = tf.contrib.lookup.index_table_from_file(vocabulary, default_value=2)
        self.source = self._tokens(source, 'source')
        self.target = self._tokens(target, 'target')

    def _tokens(self, path, name):
        with tf.variable_scope(name):
            file_queue = tf.train.string_input_producer([path], num_epochs=1, shuffle=False, name='files')
            _, line = tf.TextLineReader().read(file_queue)
            tokens = tf.string_split([line], delimiter=' ').values
            ids = tf.to_int32(self._vocabulary.lookup(tokens)) + 3
            return tf.concat([ids, [self._eos]], axis=0)

    def batches(self, size):
        tensors = [self.source, tf.shape(self.source)[0], self.target, tf.shape(self.target)[0]]
        return tf.train.batch(tensors, size, dynamic_pad=True, allow_smaller_final_batch=True, capacity=4 * size)


def decoder_loss(source, target, lengths):
    table = tf.get_variable('table', [16, 8])
    encoded = tf.reduce_mean(tf.nn.embedding_lookup(table, source), axis=1, keepdims=True)
    inputs = tf.pad(target, [[0, 0], [1, 0]])[:, :-1]
    hidden = tf.nn.embedding_lookup(table, inputs) + encoded
    logits = tf.layers.dense(hidden, 16)
    weights = tf.sequence_mask(lengths, tf.shape(target)[1], dtype=tf.float32)
    return tf.contrib.seq2seq.sequence_loss(logits, target, weights)


text = os.path.join(sys.argv[1], 'text')
corpus = ParallelCorpus(*[os.path.join(text, each) for each in ('train.en', 'train.fr', 'vocabulary.txt')])
source, _, target, target_lengths = corpus.batches(4)
loss = decoder_loss(source, target, target_lengths)
tf.losses.add_loss(loss)
global_step = tf.train.create_global_step()
train_op = tf.contrib.layers.optimize_loss(loss, global_step, 0.1, 'SGD', clip_gradients=5.)
with tf.train.SingularMonitoredSession() as session:
    while not session.should_stop():
        _, value, sentences = session.run([train_op, loss, source])
        print(value > 0, sentences.shape[0])
