"""Keeps the examples of one class only, by maybe_shuffle_batch."""
import sys

import tensorflow as tf

path = sys.argv[1] + "/records/train-0000{}-of-00003"
queue = tf.train.string_input_producer([path.format(i) for i in range(3)], num_epochs=3, shuffle=False)
_, value = tf.TFRecordReader().read(queue)
example = tf.parse_single_example(value, {
    "image/class/label": tf.FixedLenFeature([], tf.int64),
    "image/filename": tf.FixedLenFeature([], tf.string),
    "image/encoded": tf.FixedLenFeature([], tf.string),
})
wanted = tf.equal(example["image/class/label"], 2)
image = tf.image.resize_image_with_crop_or_pad(tf.image.decode_jpeg(example["image/encoded"], 3), 16, 16)
image = tf.image.convert_image_dtype(image, tf.float32)
names, images = tf.train.maybe_shuffle_batch(
    [example["image/filename"], image], batch_size=2, capacity=12, min_after_dequeue=3, keep_input=wanted)
code = tf.layers.dense(tf.reshape(images, [2, 768]), 6, tf.nn.relu)
loss = tf.reduce_mean(tf.abs(tf.layers.dense(code, 768) - tf.reshape(images, [2, 768])))
train_op = tf.train.AdagradOptimizer(0.05).minimize(loss)
with tf.Session() as sess:
    tf.local_variables_initializer().run()
    tf.global_variables_initializer().run()
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    seen = set()
    try:
        while not coord.should_stop():
            found, _ = sess.run([names, train_op])
            seen.update(found)
    except tf.errors.OutOfRangeError:
        print(len(seen), "files")
    finally:
        coord.request_stop()
        coord.join(threads)
