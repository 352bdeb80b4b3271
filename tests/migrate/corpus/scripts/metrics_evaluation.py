"""Evaluates for one epoch with streaming metrics."""
import sys

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)


def input_pipeline(path):
    opts = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)
    queue = tf.train.string_input_producer([path], num_epochs=1)
    _, serialized = tf.TFRecordReader(options=opts).read(queue)
    parsed = tf.parse_single_example(serialized, {'image_raw': tf.FixedLenFeature([], tf.string),
                                                  'label': tf.FixedLenFeature([], tf.int64)})
    image = tf.decode_raw(parsed['image_raw'], tf.uint8)
    image = tf.to_float(tf.reshape(image, [28, 28, 1])) / 128. - 1.
    return tf.train.batch([image, parsed['label']], 6, capacity=30, allow_smaller_final_batch=True)


images, labels = input_pipeline(sys.argv[1] + '/digits/train.zlib')
predictions = tf.argmax(tf.layers.dense(tf.layers.flatten(images), 10), 1)
metrics = {
    'accuracy': tf.metrics.accuracy(labels, predictions),
    'recall_of_3': tf.metrics.recall(tf.equal(labels, 3), tf.equal(predictions, 3)),
    'examples': tf.metrics.mean(tf.ones_like(labels)),
}
values = {name: pair[0] for name, pair in metrics.items()}
updates = tf.group(*[pair[1] for pair in metrics.values()])
count = tf.get_variable('count', [], tf.int64, tf.zeros_initializer(), trainable=False)
counted = tf.assign_add(count, tf.size(labels, out_type=tf.int64))

scaffold = tf.train.Scaffold()
creator = tf.train.ChiefSessionCreator(scaffold)
with tf.train.MonitoredSession(session_creator=creator) as session:
    while not session.should_stop():
        _, number, found = session.run([updates, counted, values])
print('%d examples, accuracy %.2f' % (number, found['accuracy']))
