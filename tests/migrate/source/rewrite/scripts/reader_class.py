import os
import sys
import tensorflow as tf


class Reader(object):
    """Reads labels and images from TFRecords."""

    def __init__(self, tfrecords_file, image_size=4, min_queue_examples=20, batch_size=2, num_threads=2, name=''):
        self.tfrecords_file = tfrecords_file
        self.image_size = image_size
        self.min_queue_examples = min_queue_examples
        self.batch_size = batch_size
        self.num_threads = num_threads
        self.reader = tf.TFRecordReader()
        self.name = name

    def feed(self):
        with tf.name_scope(self.name):
            filename_queue = tf.train.string_input_producer([self.tfrecords_file])
            _, serialized_example = self.reader.read(filename_queue)
            features = tf.parse_single_example(
                serialized_example,
                features={
                    'name': tf.FixedLenFeature([], tf.string),
                    'image_raw': tf.FixedLenFeature([], tf.string),
                })
            image = tf.decode_raw(features['image_raw'], tf.uint8)
            image = self._preprocess(image)
            images = tf.train.shuffle_batch(
                [image], batch_size=self.batch_size, num_threads=self.num_threads,
                capacity=self.min_queue_examples + 3 * self.batch_size,
                min_after_dequeue=self.min_queue_examples)
        return images

    def _preprocess(self, image):
        image = tf.reshape(image, [self.image_size, self.image_size, 3])
        image = tf.image.convert_image_dtype(image, dtype=tf.float32)
        return image * 2.0 - 1.0


def main():
    graph = tf.Graph()
    with graph.as_default():
        reader_x = Reader(os.path.join(sys.argv[1], 'train-00000-of-00003'), name='X')
        x = reader_x.feed()
        mean = tf.reduce_mean(x)
    with tf.Session(graph=graph) as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            step = 0
            while not coord.should_stop() and step < 6:
                print(sess.run(mean))
                step += 1
        except KeyboardInterrupt:
            coord.request_stop()
        except Exception as e:
            coord.request_stop(e)
        finally:
            coord.request_stop()
            coord.join(threads)


if __name__ == '__main__':
    main()
