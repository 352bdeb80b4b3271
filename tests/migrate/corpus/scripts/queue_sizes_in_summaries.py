"""Watches its queues in TensorBoard: sizes as scalars, and images on their way to the batch."""
import os
import sys
import tempfile
import tensorflow as tf

with tf.Graph().as_default() as graph:
    with tf.name_scope('pipeline'):
        files = tf.train.string_input_producer(sorted(tf.gfile.Glob(os.path.join(sys.argv[1], 'train-*.tfrecord'))),
                                               num_epochs=1, capacity=8, name='files')
        tf.summary.scalar('files_waiting', files.size())
        _, record = tf.TFRecordReader().read(files)
        waiting = tf.FIFOQueue(24, [tf.string], [()], name='records')
        runner = tf.train.QueueRunner(waiting, [waiting.enqueue(record)])
        tf.train.add_queue_runner(runner)
        tf.summary.scalar('records_waiting', waiting.size())
        fullness = tf.cast(waiting.size(), tf.float32) / 24.
        tf.summary.scalar('fullness', fullness)
        tf.summary.histogram('fullness_histogram', tf.reshape(fullness, [1]))
        parsed = tf.parse_single_example(waiting.dequeue(), {'image/encoded': tf.FixedLenFeature([], tf.string),
                                                             'image/class/label': tf.FixedLenFeature([], tf.int64)})
        image = tf.reshape(tf.image.decode_png(parsed['image/encoded'], 3), [6, 6, 3])
        images, labels = tf.train.batch([image, parsed['image/class/label']], 3, num_threads=1)
    tf.summary.image('batch', images, 1)
    logits = tf.layers.dense(tf.layers.flatten(tf.to_float(images) / 255.), 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    merged = tf.summary.merge_all()
    writer = tf.summary.FileWriter(tempfile.mkdtemp(), graph)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                summary, _, number = sess.run([merged, train, step])
                writer.add_summary(summary, number)
        except tf.errors.OutOfRangeError:
            print('steps', number)
        coord.request_stop()
    writer.close()
