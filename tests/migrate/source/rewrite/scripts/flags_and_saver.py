import os
import sys
import tempfile
import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string('data_dir', sys.argv[1], 'The folder of the data.')
flags.DEFINE_integer('batch_size', 4, 'The batch size.')
flags.DEFINE_integer('max_steps', 4, 'The number of steps.')


def inputs():
    filenames = [os.path.join(FLAGS.data_dir, 'train-%05d-of-%05d' % (i, 3)) for i in range(3)]
    filename_queue = tf.train.string_input_producer(filenames)
    _, serialized = tf.TFRecordReader().read(filename_queue)
    features = tf.parse_single_example(
        serialized, features={'score': tf.FixedLenFeature([1], tf.float32), 'label': tf.FixedLenFeature([1], tf.int64)})
    return tf.train.shuffle_batch([features['score'], features['label']], batch_size=FLAGS.batch_size,
                                  capacity=64, min_after_dequeue=16)


def main(_):
    x, y = inputs()
    w = tf.get_variable('w', [1, 1], initializer=tf.constant_initializer(0.1))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - tf.to_float(y)))
    train = tf.train.RMSPropOptimizer(0.01).minimize(loss)
    saver = tf.train.Saver(tf.global_variables())
    folder = tempfile.mkdtemp()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            for step in range(FLAGS.max_steps):
                if coord.should_stop():
                    break
                _, value = sess.run([train, loss])
                print(step, value)
            saver.save(sess, os.path.join(folder, 'model.ckpt'), global_step=step)
        finally:
            coord.request_stop()
            coord.join(threads)


if __name__ == '__main__':
    main(None)
