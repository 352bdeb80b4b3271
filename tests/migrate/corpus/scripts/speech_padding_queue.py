"""Speech recognition: utterances with transcripts in an own padding queue, for a CTC loss."""
import glob
import os
import sys

import tensorflow as tf
from tensorflow.python.ops import ctc_ops


class DataSet(object):
    def __init__(self, files, batch_size, num_threads=2):
        self._batch_size = batch_size
        self._files = tf.train.string_input_producer(files, shuffle=True, name='utterance_files')
        self._queue = tf.PaddingFIFOQueue(
            capacity=8 * batch_size, dtypes=[tf.float32, tf.int32, tf.int32, tf.int32],
            shapes=[[None, 13], [], [None], []])
        enqueues = [self._queue.enqueue(self._utterance()) for _ in range(num_threads)]
        tf.train.add_queue_runner(tf.train.QueueRunner(self._queue, enqueues))

    def _utterance(self):
        _, record = tf.TFRecordReader().read(self._files)
        _, features = tf.parse_single_sequence_example(record, sequence_features={
            'frames': tf.FixedLenSequenceFeature([13], tf.float32),
            'phones': tf.FixedLenSequenceFeature([], tf.int64)})
        source, target = features['frames'], tf.to_int32(features['phones'])
        return [source, tf.shape(source)[0], target, tf.shape(target)[0]]

    def next_batch(self):
        source, source_lengths, target, target_lengths = self._queue.dequeue_many(self._batch_size)
        mask = tf.sequence_mask(target_lengths, tf.shape(target)[1])
        indices = tf.where(mask)
        sparse_labels = tf.SparseTensor(indices, tf.boolean_mask(target, mask), tf.shape(target, out_type=tf.int64))
        return source, source_lengths, sparse_labels


def bi_rnn(batch_x, seq_length, n_character):
    cells = [tf.contrib.rnn.BasicLSTMCell(6, forget_bias=1.0) for _ in range(2)]
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(cells[0], cells[1], batch_x, seq_length, dtype=tf.float32)
    return tf.layers.dense(tf.concat(outputs, 2), n_character + 1)


train = DataSet(sorted(glob.glob(os.path.join(sys.argv[1], 'speech', '*.tfrecords'))), 3)
batch_x, batch_seq_len, batch_y = train.next_batch()
logits = bi_rnn(batch_x, batch_seq_len, 20)
total_loss = ctc_ops.ctc_loss(labels=batch_y, inputs=tf.transpose(logits, [1, 0, 2]), sequence_length=batch_seq_len,
                              ignore_longer_outputs_than_inputs=True)
avg_loss = tf.reduce_mean(total_loss)
apply_gradient_op = tf.train.AdamOptimizer(0.001).minimize(avg_loss)
session = tf.Session()
session.run(tf.global_variables_initializer())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(session, coord)
for epoch in range(3):
    _, current = session.run([apply_gradient_op, avg_loss])
    print('epoch', epoch, current >= 0)
coord.request_stop()
coord.join(threads)
session.close()
