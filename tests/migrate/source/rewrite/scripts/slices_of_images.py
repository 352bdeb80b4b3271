import os
import sys
import tensorflow as tf

IMAGE_HEIGHT, IMAGE_WIDTH = 6, 8


def read_labeled_image_list(image_list_file):
    """Reads a .txt file that has paths and labels."""
    filenames, labels = [], []
    with open(image_list_file) as f:
        for line in f:
            filename, label = line[:-1].split(' ')
            filenames.append(filename)
            labels.append(int(label))
    return filenames, labels


def read_images_from_disk(input_queue):
    label = input_queue[1]
    file_contents = tf.read_file(input_queue[0])
    example = tf.image.decode_png(file_contents, channels=3)
    return example, label


image_list, label_list = read_labeled_image_list(os.path.join(sys.argv[1], 'list.txt'))
images = tf.convert_to_tensor(image_list, dtype=tf.string)
labels = tf.convert_to_tensor(label_list, dtype=tf.int32)

# Makes an input queue
input_queue = tf.train.slice_input_producer([images, labels], num_epochs=2, shuffle=True)
image, label = read_images_from_disk(input_queue)
image.set_shape([IMAGE_HEIGHT, IMAGE_WIDTH, 3])
image = tf.image.convert_image_dtype(image, tf.float32)

# Optional Image and Label Batching
image_batch, label_batch = tf.train.batch([image, label], batch_size=4)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            im, lb = sess.run([image_batch, label_batch])
            print(im.mean(), lb)
    except tf.errors.OutOfRangeError:
        print('Done')
    finally:
        coord.request_stop()
        coord.join(threads)
