# Names of TensorFlow 0.x, which 1.x kept.
import os
import sys
import tensorflow as tf

def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(serialized_example, features={
        'image_raw': tf.FixedLenFeature([], tf.string), 'label': tf.FixedLenFeature([], tf.int64)})
    image = tf.decode_raw(features['image_raw'], tf.uint8)
    image = tf.reshape(image, [48])
    return tf.cast(image, tf.float32), tf.cast(features['label'], tf.int32)

def inputs(path, batch_size, num_epochs):
    filename_queue = tf.train.string_input_producer([path], num_epochs=num_epochs)
    image, label = read_and_decode(filename_queue)
    return tf.train.shuffle_batch([image, label], batch_size=batch_size, num_threads=2,
                                  capacity=1000 + 3 * batch_size, min_after_dequeue=5)

images, labels = inputs(os.path.join(sys.argv[1], 'train-00000-of-00003'), 2, 2)
W = tf.Variable(tf.zeros([48, 5]))
cost = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=tf.matmul(images, W), labels=labels))
train = tf.train.GradientDescentOptimizer(1e-4).minimize(cost)
sess = tf.Session()
sess.run(tf.initialize_all_variables())
sess.run(tf.initialize_local_variables())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
try:
    while not coord.should_stop():
        _, c = sess.run([train, cost])
        print(c)
except tf.errors.OutOfRangeError:
    print('Done training -- epoch limit reached')
finally:
    coord.request_stop()
coord.join(threads)
sess.close()
