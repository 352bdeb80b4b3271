import os, sys
import tensorflow as tf

def input_data(path):
    names = tf.train.string_input_producer([path])
    key, value = tf.TFRecordReader().read(names)
    f = tf.parse_single_example(value, features={"score": tf.FixedLenFeature([], tf.float32)})
    return tf.train.batch([f["score"]], 4)

x = input_data(os.path.join(sys.argv[1], "train-00002-of-00003"))
w = tf.Variable(1.0, name="w")
loss = tf.reduce_sum(tf.square(w * x))  # its gradient needs w * x, which is thus computed before w changes
global_step = tf.Variable(0, trainable=False, name="global_step")
train = tf.train.GradientDescentOptimizer(1e-4).minimize(loss, global_step=global_step)
sv = tf.train.Supervisor(logdir=None, global_step=global_step)
with sv.managed_session() as sess:
    for _ in range(5):
        if sv.should_stop():
            break
        print(sess.run([train, loss])[1])
