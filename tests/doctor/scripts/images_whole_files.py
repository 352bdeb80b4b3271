"""PNG files by slice_input_producer over names and labels, read_file, decode in 4 threads, batch."""
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
rng = np.random.RandomState(0)
with tf.Graph().as_default(), tf.Session() as sess:
    pixels = tf.placeholder(tf.uint8, [None, None, 3])
    encoded = tf.image.encode_png(pixels)
    names, labels = [], []
    for i in range(40):
        names.append(os.path.join(folder, "%d.png" % i))
        labels.append(i % 4)
        with open(names[-1], "wb") as f:
            f.write(sess.run(encoded, {pixels: rng.randint(0, 255, (10, 10, 3))}))
with tf.Graph().as_default():
    name, label = tf.train.slice_input_producer([names, labels], shuffle=True)
    image = tf.image.decode_png(tf.read_file(name), channels=3)
    image = tf.image.resize_images(image, [8, 8])
    image.set_shape([8, 8, 3])
    image = tf.image.random_brightness(tf.cast(image, tf.float32) / 255.0, 0.1)
    images, labels = tf.train.batch([image, label], batch_size=8, num_threads=4, capacity=64)
    logits = tf.layers.dense(tf.layers.flatten(images), 4)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(10):
            _, value = sess.run([train_op, loss])
        coord.request_stop()
        coord.join(threads)
    print("loss %.3f" % value)
