"""Segmentation: each line of a list names an image and its mask."""
import os
import sys

import tensorflow as tf


class SegmentationInput(object):

    def __init__(self, root, list_name, crop, ignore_label=255, shuffle=True):
        self.root, self.crop, self.ignore_label = root, crop, ignore_label
        lines = tf.train.string_input_producer([os.path.join(root, list_name)], shuffle=shuffle)
        _, line = tf.TextLineReader().read(lines)
        parts = tf.decode_csv(line, [[""], [""]], field_delim=" ")
        self.image, self.mask = self.augmented(self.read(parts[0], 3), self.read(parts[1], 1))

    def read(self, name, channels):
        content = tf.read_file(tf.string_join([self.root, name], separator="/"))
        return tf.image.decode_png(content, channels=channels)

    def augmented(self, image, mask):
        scale = tf.random_uniform([1], minval=0.5, maxval=1.5, dtype=tf.float32)
        shape = tf.to_float(tf.shape(image)[:2]) * scale
        new_shape = tf.maximum(tf.to_int32(shape), 4)
        image = tf.image.resize_images(tf.cast(image, tf.float32), new_shape)
        mask = tf.image.resize_nearest_neighbor(tf.expand_dims(mask, 0), new_shape)[0]
        mask = tf.cast(mask, tf.float32) - self.ignore_label  # padding is ignored
        both = tf.concat([image, mask], 2)
        height, width = tf.shape(both)[0], tf.shape(both)[1]
        both = tf.image.pad_to_bounding_box(both, 0, 0, tf.maximum(self.crop, height), tf.maximum(self.crop, width))
        both = tf.random_crop(both, [self.crop, self.crop, 4])
        distort_left_right = tf.random_uniform([2], 0, 1.0, dtype=tf.float32)
        both = tf.reverse(both, tf.boolean_mask([0, 1], distort_left_right > 0.5))
        image, mask = both[:, :, :3], tf.cast(both[:, :, 3:] + self.ignore_label, tf.uint8)
        image.set_shape([self.crop, self.crop, 3])
        mask.set_shape([self.crop, self.crop, 1])
        return image, mask

    def dequeue(self, num_elements):
        return tf.train.batch([self.image, self.mask], num_elements, num_threads=2)


coord = tf.train.Coordinator()
with tf.name_scope("create_inputs"):
    reader = SegmentationInput(os.path.join(sys.argv[1], "roads"), "pairs.txt", 10)
    image_batch, label_batch = reader.dequeue(2)
net = tf.layers.conv2d(image_batch, 2, 3, padding="same")
valid = tf.to_float(label_batch < 200)
loss = tf.reduce_sum(tf.square(net[..., :1] - tf.to_float(label_batch) / 255.) * valid) / (1. + tf.reduce_sum(valid))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.MomentumOptimizer(1e-4, 0.9).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
threads = tf.train.start_queue_runners(coord=coord, sess=sess)
for step in range(4):
    loss_value, _ = sess.run([loss, train_op])
    print("step {:d} \t loss = {:.3f}".format(step, loss_value))
coord.request_stop()
coord.join(threads)
