"""One function makes the pipelines of training and of validation."""
import os
import sys
import tensorflow as tf

DATA = sys.argv[1]


def get_batch(split, shards, batch_size, is_training):
    files = [os.path.join(DATA, '%s-%05d-of-%05d' % (split, i, shards)) for i in range(shards)]
    queue = tf.train.string_input_producer(files, shuffle=is_training)
    _, example = tf.TFRecordReader().read(queue)
    parsed = tf.parse_single_example(example, {
        'score': tf.FixedLenFeature([], tf.float32), 'label': tf.FixedLenFeature([], tf.int64)})
    tensors = [parsed['score'], parsed['label']]
    if is_training:
        return tf.train.shuffle_batch(tensors, batch_size, capacity=60, min_after_dequeue=20, num_threads=2)
    return tf.train.batch(tensors, batch_size, capacity=60)


train_x, train_y = get_batch('train', 3, 4, True)
test_x, test_y = get_batch('validation', 2, 5, False)
w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(w * train_x - tf.to_float(train_y)))
error = tf.reduce_mean(tf.abs(w * test_x - tf.to_float(test_y)))
train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for step in range(6):
        sess.run(train)
        if step % 2 == 0:
            print(step, sess.run([loss, error]))
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=5)
