import os
import sys
import tensorflow as tf


def load(path, batch_size, num_epochs=None):
    with tf.name_scope("load"), tf.device("/cpu:0"):
        filename_queue = tf.train.string_input_producer([path], num_epochs=num_epochs, shuffle=False)
        _, serialized = tf.TFRecordReader().read(filename_queue)
        context, sequence = tf.parse_single_sequence_example(
            serialized,
            context_features={"length": tf.FixedLenFeature([], dtype=tf.int64)},
            sequence_features={"tokens": tf.FixedLenSequenceFeature([], dtype=tf.int64)})
        tokens = sequence["tokens"]
        return tf.train.batch(
            [tokens[:-1], tokens[1:], context["length"] - 1], batch_size=batch_size, capacity=30, dynamic_pad=True)


x, y, length = load(os.path.join(sys.argv[1], "sequences.tfrecord"), 4)
total = tf.reduce_sum(x * y) + tf.reduce_sum(length)
with tf.Session() as session:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coord)
    for _ in range(5):
        print(session.run(total))
    coord.request_stop()
    coord.join(threads)
