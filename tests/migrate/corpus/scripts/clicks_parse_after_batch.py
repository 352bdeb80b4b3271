"""Click prediction: serialized examples are batched first, and parsed as a batch of sparse features."""
import os
import sys

import tensorflow as tf

tf.flags.DEFINE_integer("batch_size", 4, "")
tf.flags.DEFINE_integer("buckets", 50, "")
tf.flags.DEFINE_float("rate", 0.2, "")
FLAGS = tf.flags.FLAGS


def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    return serialized_example


pattern = os.path.join(sys.argv[1], "clicks", "part-*")
filename_queue = tf.train.string_input_producer(tf.train.match_filenames_once(pattern), num_epochs=2)
serialized_example = read_and_decode(filename_queue)
batch_serialized = tf.train.shuffle_batch([serialized_example], batch_size=FLAGS.batch_size, num_threads=2,
                                          capacity=200, min_after_dequeue=20)
features = tf.parse_example(batch_serialized, features={
    "click": tf.FixedLenFeature([], tf.float32),
    "age": tf.FixedLenFeature([1], tf.float32),
    "ids": tf.VarLenFeature(tf.int64),
    "values": tf.VarLenFeature(tf.float32),
    "campaign": tf.FixedLenFeature([], tf.string, default_value="none"),
})
labels = features["click"]
weights = tf.get_variable("weights", [FLAGS.buckets, 1], initializer=tf.zeros_initializer())
bias = tf.get_variable("bias", [1])
linear = tf.nn.embedding_lookup_sparse(weights, features["ids"], features["values"], combiner="sum")
wide = tf.one_hot(tf.string_to_hash_bucket_fast(features["campaign"], 5), 5)
rows = tf.shape(labels)[0]
padded = tf.pad(linear, [[0, rows - tf.shape(linear)[0]], [0, 0]])
logits = tf.reshape(padded, [-1]) + tf.squeeze(tf.layers.dense(tf.concat([wide, features["age"] / 50.], 1), 1), 1) + bias
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
global_step = tf.Variable(0, name="global_step", trainable=False)
train_op = tf.train.FtrlOptimizer(FLAGS.rate).minimize(loss, global_step=global_step)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord, sess=sess)
    try:
        while not coord.should_stop():
            _, loss_value, step = sess.run([train_op, loss, global_step])
    except tf.errors.OutOfRangeError:
        print("Done training after reading all data, step %d" % step)
    finally:
        coord.request_stop()
    coord.join(threads)
