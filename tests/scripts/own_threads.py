"""Two towers with one FIFOQueue that the script's own threads fill, and a second queue with a QueueRunner."""
import os
import sys
import threading

import numpy as np
import tensorflow as tf

train_dir = sys.argv[1]
max_steps = int(sys.argv[2])
BATCH, DIM = 8, 5


class CustomRunner(object):
    """Feeds numpy batches to a queue from a background thread."""

    def __init__(self):
        self.dataX = tf.placeholder(dtype=tf.float32, shape=[None, DIM])
        self.dataY = tf.placeholder(dtype=tf.float32, shape=[None])
        self.queue = tf.FIFOQueue(shapes=[[DIM], []], dtypes=[tf.float32, tf.float32], capacity=64)
        self.enqueue_op = self.queue.enqueue_many([self.dataX, self.dataY])

    def get_inputs(self):
        return self.queue.dequeue_many(BATCH)

    def thread_main(self, sess, coord):
        rng = np.random.RandomState(11)
        while not coord.should_stop():
            x = rng.rand(16, DIM)
            try:
                sess.run(self.enqueue_op, feed_dict={self.dataX: x, self.dataY: np.sin(x.sum(1))})
            except tf.errors.CancelledError:
                return

    def start_threads(self, sess, coord, n_threads=1):
        threads = []
        for _ in range(n_threads):
            t = threading.Thread(target=self.thread_main, args=(sess, coord))
            t.daemon = True
            t.start()
            threads.append(t)
        return threads


def model(x):
    w = tf.get_variable('w', [DIM, 7], initializer=tf.contrib.layers.xavier_initializer(uniform=False, seed=4))
    v = tf.get_variable('v', [7, 1], initializer=tf.uniform_unit_scaling_initializer(seed=5))
    return tf.squeeze(tf.matmul(tf.nn.elu(tf.matmul(x, w)), v), squeeze_dims=[1])


with tf.device("/cpu:0"):
    custom_runner = CustomRunner()
    counter = tf.train.range_input_producer(1000, shuffle=False).dequeue()
    second = tf.PaddingFIFOQueue(32, [tf.int32], shapes=[[None]])
    qr = tf.train.QueueRunner(second, [second.enqueue([tf.range(counter % 3)])])
    tf.train.add_queue_runner(qr)
    lengths = tf.reduce_sum(second.dequeue_many(4), reduction_indices=1)

opt = tf.train.AdagradOptimizer(0.2)
grads, losses, before = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('model', reuse=(i != 0)):
        with tf.control_dependencies(before):
            x, y = custom_runner.get_inputs()
        before = [x]
        loss = tf.reduce_mean(tf.squared_difference(model(x), y), name='loss_%d' % i)
        losses.append(loss)
        grads.append(opt.compute_gradients(loss, tf.trainable_variables(), colocate_gradients_with_ops=True))
mean = [(sum(g for g, _ in pair) / len(pair), pair[0][1]) for pair in zip(*grads)]
train_op = opt.apply_gradients(mean)
loss = tf.add_n(losses) / 2.

saver = tf.train.Saver()
sess = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=8, allow_soft_placement=True))
sess.run(tf.global_variables_initializer())
checkpoint = tf.train.latest_checkpoint(train_dir)
if checkpoint:
    saver.restore(sess, checkpoint)
else:
    saver.save(sess, os.path.join(train_dir, 'model.ckpt'), global_step=0)

coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(coord=coord, sess=sess)
threads += custom_runner.start_threads(sess, coord)
try:
    for it in range(max_steps):
        _, value, n = sess.run([train_op, loss, lengths])
        print('iteration %d loss = %.8f (%d in queue) %s' % (
            it, value, sess.run(custom_runner.queue.size()) > 0, n.tolist()))
except Exception as e:
    coord.request_stop(e)
finally:
    coord.request_stop()
    sess.run(custom_runner.queue.close(cancel_pending_enqueues=True))
    sess.run(second.close(cancel_pending_enqueues=True))
    coord.join(threads, stop_grace_period_secs=10)
sess.close()
