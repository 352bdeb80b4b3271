"""CIFAR-10: a small network, trained from the binary version of the data."""
import os
import sys

import tensorflow as tf

IMAGE_SIZE = 24
BATCH_SIZE = 4


def read_cifar10(filename_queue):
    class CIFAR10Record(object):
        pass

    result = CIFAR10Record()
    label_bytes = 1
    result.height, result.width, result.depth = 32, 32, 3
    image_bytes = result.height * result.width * result.depth
    reader = tf.FixedLengthRecordReader(record_bytes=label_bytes + image_bytes)
    result.key, value = reader.read(filename_queue)
    record_bytes = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record_bytes, [0], [label_bytes]), tf.int32)
    depth_major = tf.reshape(
        tf.strided_slice(record_bytes, [label_bytes], [label_bytes + image_bytes]),
        [result.depth, result.height, result.width])
    result.uint8image = tf.transpose(depth_major, [1, 2, 0])
    return result


def distorted_inputs(data_dir):
    filenames = [os.path.join(data_dir, 'data_batch_%d.bin' % i) for i in range(1, 6)]
    for f in filenames:
        if not tf.gfile.Exists(f):
            raise ValueError('Failed to find file: ' + f)
    filename_queue = tf.train.string_input_producer(filenames)
    read_input = read_cifar10(filename_queue)
    image = tf.cast(read_input.uint8image, tf.float32)
    image = tf.random_crop(image, [IMAGE_SIZE, IMAGE_SIZE, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=63)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
    image = tf.image.per_image_standardization(image)
    image.set_shape([IMAGE_SIZE, IMAGE_SIZE, 3])
    read_input.label.set_shape([1])
    min_queue_examples = 8
    images, labels = tf.train.shuffle_batch(
        [image, read_input.label], batch_size=BATCH_SIZE, num_threads=4,
        capacity=min_queue_examples + 3 * BATCH_SIZE, min_after_dequeue=min_queue_examples)
    tf.summary.image('images', images)
    return images, tf.reshape(labels, [BATCH_SIZE])


def main():
    global_step = tf.train.get_or_create_global_step()
    images, labels = distorted_inputs(os.path.join(sys.argv[1], 'cifar'))
    flat = tf.reshape(images, [BATCH_SIZE, -1])
    weights = tf.get_variable('weights', [IMAGE_SIZE * IMAGE_SIZE * 3, 10],
                              initializer=tf.truncated_normal_initializer(stddev=0.01))
    logits = tf.matmul(flat, weights)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=global_step)
    summary_op = tf.summary.merge_all()
    sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
    sess.run(tf.global_variables_initializer())
    tf.train.start_queue_runners(sess=sess)
    for step in range(5):
        _, loss_value = sess.run([train_op, loss])
        print('step %d, loss = %.2f' % (step, loss_value))
    print(len(sess.run(summary_op)) > 0)


if __name__ == '__main__':
    main()
