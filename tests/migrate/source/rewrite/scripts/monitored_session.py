import os
import sys
import tensorflow as tf

data_dir = sys.argv[1]
with tf.device('/cpu:0'):
    queue = tf.train.string_input_producer(
        [os.path.join(data_dir, 'train-%05d-of-00003' % i) for i in range(3)], num_epochs=1, shuffle=True, seed=3)
    _, example = tf.TFRecordReader().read(queue)
    parsed = tf.parse_single_example(example, {
        'score': tf.FixedLenFeature([], tf.float32), 'label': tf.FixedLenFeature([], tf.int64)})
    x, y = tf.train.batch([parsed['score'], parsed['label']], batch_size=4, num_threads=1, capacity=20)

global_step = tf.train.get_or_create_global_step()
w = tf.get_variable('w', [], initializer=tf.constant_initializer(0.5))
loss = tf.reduce_mean(tf.square(w * x - tf.cast(y, tf.float32)))
train_op = tf.train.MomentumOptimizer(0.0001, 0.9).minimize(loss, global_step=global_step)

with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=100)]) as sess:
    while not sess.should_stop():
        _, value, step = sess.run([train_op, loss, global_step])
        print(step, value)
