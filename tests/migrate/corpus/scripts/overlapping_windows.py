"""Windows of raw audio that overlap: a reader with hops, which tf.data lacks."""
import sys

import tensorflow as tf

WINDOW, HOP = 48, 24

names = tf.train.string_input_producer([sys.argv[1] + "/video/clip_0.bin"], shuffle=False)
reader = tf.FixedLengthRecordReader(record_bytes=WINDOW, hop_bytes=HOP)
_, window = reader.read(names)
samples = tf.to_float(tf.decode_raw(window, tf.uint8)) / 128. - 1.
samples.set_shape([WINDOW])
windows = tf.train.shuffle_batch([samples], 4, capacity=40, min_after_dequeue=8)
kernel = tf.get_variable("kernel", [5, 1, 4])
encoded = tf.nn.conv1d(tf.expand_dims(windows, 2), kernel, 2, "SAME")
energy = tf.reduce_mean(tf.square(encoded))
minimize = tf.train.GradientDescentOptimizer(0.1).minimize(energy)
with tf.train.MonitoredSession() as session:
    for _ in range(3):
        session.run(minimize)
print("done")
