# Rejects most examples of the frequent class before they are batched.
import os
import sys
import tensorflow as tf

DATA = sys.argv[1]


def _parse(serialized):
    f = tf.parse_single_example(serialized, features={
        'image/encoded': tf.FixedLenFeature((), tf.string),
        'image/class/label': tf.FixedLenFeature((), tf.int64),
    })
    img = tf.cast(tf.image.decode_png(f['image/encoded'], 3), tf.float32)
    return tf.reshape(img, (6, 6, 3)), f['image/class/label']


def inputs(pattern, batch, epochs):
    queue = tf.train.string_input_producer(tf.gfile.Glob(pattern), num_epochs=epochs, shuffle=False)
    _, s = tf.TFRecordReader().read(queue)
    img, lab = _parse(s)
    brightness = tf.reduce_mean(img)
    keep = tf.logical_or(tf.not_equal(lab, 0), brightness > 120.)
    return tf.train.maybe_batch([img, lab], keep_input=keep, batch_size=batch, num_threads=1, capacity=32,
                                allow_smaller_final_batch=True)


img, lab = inputs(os.path.join(DATA, 'train-*.tfrecord'), 3, 2)
score = tf.squeeze(tf.layers.dense(tf.reshape(img, [-1, 108]), 1), 1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
    labels=tf.cast(lab > 0, tf.float32), logits=score / 255.))
step = tf.train.AdamOptimizer().minimize(loss)
counts = {}
with tf.train.SingularMonitoredSession() as sess:
    while not sess.should_stop():
        _, l = sess.run([step, lab])
        for each in l:
            counts[each] = counts.get(each, 0) + 1
print(sorted(counts.items()))
