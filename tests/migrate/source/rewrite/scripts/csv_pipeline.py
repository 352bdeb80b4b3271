import glob
import os
import sys
import tensorflow as tf


def read_my_file_format(filename_queue):
    reader = tf.TextLineReader(skip_header_lines=1)
    key, record_string = reader.read(filename_queue)
    sepal, petal, count, species = tf.decode_csv(record_string, record_defaults=[[1.0], [1.0], [1], ['']])
    example = tf.stack([sepal, petal])
    label = count
    return example, label


def input_pipeline(filenames, batch_size, num_epochs=None):
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=True)
    example, label = read_my_file_format(filename_queue)
    min_after_dequeue = 10
    capacity = min_after_dequeue + 3 * batch_size
    example_batch, label_batch = tf.train.shuffle_batch(
        [example, label], batch_size=batch_size, capacity=capacity,
        min_after_dequeue=min_after_dequeue)
    return example_batch, label_batch


if __name__ == "__main__":
    examples, labels = input_pipeline(sorted(glob.glob(os.path.join(sys.argv[1], "iris_*.csv"))), 5, 2)
    with tf.Session() as sess:
        init = tf.local_variables_initializer()
        sess.run(init)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        try:
            while not coord.should_stop():
                example_batch, label_batch = sess.run([examples, labels])
                print(example_batch.shape, label_batch)
        except tf.errors.OutOfRangeError:
            print('Done training, epoch reached')
        finally:
            coord.request_stop()
        coord.join(threads)
