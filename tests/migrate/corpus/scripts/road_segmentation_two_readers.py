"""Segmentation: images and masks are read side by side by two readers, in the order of their names."""
import os
import sys
from glob import glob

import tensorflow as tf

DATA = os.path.join(sys.argv[1], "roads")
SIZE = (12, 16)


def tensors_of(folder, channels, scope):
    paths = sorted(glob(os.path.join(DATA, folder, "*.png")))
    with tf.name_scope(scope):
        queue = tf.train.string_input_producer(paths, shuffle=False)
        _, content = tf.WholeFileReader().read(queue)
        picture = tf.image.decode_png(content, channels=channels)
        picture.set_shape(SIZE + (channels,))
        return picture


def batches(size):
    image = tf.image.convert_image_dtype(tensors_of("images", 3, "images"), tf.float32)
    mask = tf.to_int32(tensors_of("masks", 1, "masks") > 127)
    both = tf.concat([image, tf.to_float(mask)], axis=2)
    both = both[:, ::-1]
    image, mask = both[:, :, :3], tf.to_int32(both[:, :, 3])
    return tf.train.batch([image, mask], size, num_threads=1, capacity=10)


images, masks = batches(2)
net = images
for depth in (8, 2):
    net = tf.layers.conv2d(net, depth, 3, padding="same")
loss = tf.losses.sparse_softmax_cross_entropy(labels=masks, logits=net)
iou, update_iou = tf.metrics.mean_iou(masks, tf.argmax(net, -1), 2)
train = tf.train.AdamOptimizer(1e-2).minimize(loss)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        for epoch in range(2):
            for _ in range(3):
                sess.run([train, update_iou])
            print("epoch %d mean IoU %.2f" % (epoch, sess.run(iou)))
    finally:
        coord.request_stop()
        coord.join(threads)
