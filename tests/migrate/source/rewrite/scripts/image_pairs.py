"""Images and masks of a segmentation."""
import os
import sys
import tensorflow as tf


class ImageReader(object):
    def __init__(self, data_dir, input_size, random_scale, coord):
        self.data_dir = data_dir
        self.input_size = input_size
        self.coord = coord
        names = sorted(os.listdir(os.path.join(data_dir, "images")))
        self.image_list = [os.path.join(data_dir, "images", name) for name in names]
        self.label_list = [os.path.join(data_dir, "masks", name) for name in names]
        self.images = tf.convert_to_tensor(self.image_list, dtype=tf.string)
        self.labels = tf.convert_to_tensor(self.label_list, dtype=tf.string)
        self.queue = tf.train.slice_input_producer([self.images, self.labels], shuffle=input_size is not None)
        self.image, self.label = self.read_images_from_disk(self.queue)

    def read_images_from_disk(self, input_queue):
        img = tf.image.decode_png(tf.read_file(input_queue[0]), channels=3)
        img = tf.cast(img, dtype=tf.float32) - (104.0, 117.0, 123.0)
        label = tf.image.decode_png(tf.read_file(input_queue[1]), channels=1)
        img = tf.image.resize_image_with_crop_or_pad(img, *self.input_size)
        label = tf.image.resize_image_with_crop_or_pad(label, *self.input_size)
        return img, label

    def dequeue(self, num_elements):
        image_batch, label_batch = tf.train.batch([self.image, self.label], num_elements)
        return image_batch, label_batch


def main():
    coord = tf.train.Coordinator()
    with tf.name_scope("create_inputs"):
        reader = ImageReader(sys.argv[1], (5, 7), False, coord)
        image_batch, label_batch = reader.dequeue(3)
    total = tf.reduce_sum(image_batch) + tf.reduce_sum(tf.cast(label_batch, tf.float32))
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    sess = tf.Session(config=config)
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(coord=coord, sess=sess)
    for step in range(4):
        print('step {:d} \t total = {:.3f}'.format(step, sess.run(total)))
    coord.request_stop()
    coord.join(threads)


if __name__ == '__main__':
    main()
