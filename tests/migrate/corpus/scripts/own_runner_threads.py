"""A queue whose runner is started by hand, and is in no collection."""
import glob
import sys

import tensorflow as tf

batch_size = 4
filename_queue = tf.train.string_input_producer(sorted(glob.glob(sys.argv[1] + "/cifar/data_batch_*.bin")))
reader = tf.FixedLengthRecordReader(1 + 32 * 32 * 3)
_, value = reader.read(filename_queue)
bytes_ = tf.decode_raw(value, tf.uint8)
label = tf.cast(bytes_[0], tf.int32)
picture = tf.transpose(tf.reshape(bytes_[1:], (3, 32, 32)), (1, 2, 0))
picture = tf.image.random_flip_left_right(tf.image.convert_image_dtype(picture, tf.float32), seed=4)

queue = tf.RandomShuffleQueue(capacity=40, min_after_dequeue=10, dtypes=[tf.float32, tf.int32],
                              shapes=[[32, 32, 3], []], seed=8)
enqueue_op = queue.enqueue([picture, label])
x, y = queue.dequeue_many(batch_size)
qr = tf.train.QueueRunner(queue, [enqueue_op] * 4)

hidden = tf.nn.max_pool(x, [1, 8, 8, 1], [1, 8, 8, 1], "VALID")
logits = tf.layers.dense(tf.reshape(hidden, [batch_size, 48]), 10)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
train_op = tf.train.AdamOptimizer().minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    enqueue_threads = qr.create_threads(sess, coord=coord, start=True)
    file_threads = tf.train.start_queue_runners(sess, coord)
    for step in range(5):
        if coord.should_stop():
            break
        sess.run(train_op)
    coord.request_stop()
    coord.join(enqueue_threads + file_threads)
print(step)
