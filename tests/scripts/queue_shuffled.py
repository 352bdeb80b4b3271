# Queues that shuffle: range_input_producer, a RandomShuffleQueue with its own QueueRunner, shuffle_batch_join.
import sys, os
import numpy as np
import tensorflow as tf
from tensorflow.python.training import queue_runner
from tensorflow.python.ops import data_flow_ops

TRAIN_DIR = sys.argv[1]
MAX_STEPS = int(sys.argv[2])
READERS = int(sys.argv[3]) if len(sys.argv) > 3 else 2
N = 40

rng = np.random.RandomState(12)
table = tf.constant(rng.rand(N, 6), tf.float32, name='table')
targets = tf.constant(rng.rand(N, 2), tf.float32)

with tf.name_scope('rows'):
    row = tf.train.range_input_producer(N, shuffle=True, seed=21, capacity=16, num_epochs=50).dequeue()
    example = tf.gather(table, row)
    example.set_shape([6])

with tf.name_scope('shuffle'):
    # Full before every dequeue, so that the order depends on the seed only.
    queue = data_flow_ops.RandomShuffleQueue(capacity=12, min_after_dequeue=11, dtypes=[tf.float32, tf.float32],
                                             shapes=[[6], [2]], seed=22, names=['x', 'y'], shared_name='shuffled')
    enqueue = queue.enqueue({'x': example, 'y': tf.gather(targets, row)})
    queue_runner.add_queue_runner(queue_runner.QueueRunner(
        queue, [enqueue], close_op=queue.close(), cancel_op=queue.close(cancel_pending_enqueues=True)))
    batch = queue.dequeue_many(8)

with tf.name_scope('joined'):
    def read():
        value = tf.train.input_producer(tf.reshape(tf.range(30), [10, 3]), shuffle=False).dequeue()
        return [value, tf.to_float(value) / 30.]
    joined = tf.train.shuffle_batch_join([read() for _ in range(READERS)], batch_size=4, capacity=10,
                                         min_after_dequeue=9, seed=23, enqueue_many=False)

optimizer = tf.train.AdadeltaOptimizer(1.0)
losses, gradients = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('regression', reuse=i == 1):
        x, y = batch['x'][4 * i:4 * i + 4], batch['y'][4 * i:4 * i + 4]
        features = tf.concat([x, joined[1]], 1)
        w = tf.get_variable('w', [9, 2], initializer=tf.orthogonal_initializer(gain=0.5, seed=1))
        b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
        losses.append(tf.nn.l2_loss(tf.nn.xw_plus_b(features, w, b) - y))
        gradients.append(tf.gradients(losses[-1], [w, b]))
train_op = optimizer.apply_gradients([((a + c) / 2., v) for a, c, v in zip(gradients[0], gradients[1], [w, b])])
total = tf.accumulate_n(losses)

saver = tf.train.Saver()
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    if tf.train.latest_checkpoint(TRAIN_DIR):
        saver.restore(sess, tf.train.latest_checkpoint(TRAIN_DIR))
    else:
        saver.save(sess, os.path.join(TRAIN_DIR, 'model.ckpt'), global_step=0)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord, daemon=True)
    seen = []
    try:
        for step in range(MAX_STEPS):
            _, loss, values = sess.run([train_op, total, joined[0]])
            seen.extend(values[:, 0].tolist())
            print('%4d loss = %.8f' % (step, loss))
    except tf.errors.OutOfRangeError:
        print('Done after the epochs')
    finally:
        coord.request_stop()
    coord.join(threads, stop_grace_period_secs=5, ignore_live_threads=True)
print('triples from', seen[:8])
