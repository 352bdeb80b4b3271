import os
import sys
import tensorflow as tf

BATCH = 3


def distorted(path):
    queue = tf.train.string_input_producer([path])
    _, value = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(value, features={
        'label': tf.FixedLenFeature([], tf.int64), 'image_raw': tf.FixedLenFeature([], tf.string)})
    image = tf.cast(tf.reshape(tf.decode_raw(features['image_raw'], tf.uint8), [4, 4, 3]), tf.float32)

    # Randomly crop and flip the image, and change its brightness.
    image = tf.random_crop(image, [3, 3, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=63)
    image = tf.image.per_image_standardization(image)
    label = tf.cast(features['label'], tf.int32)
    images, labels = tf.train.shuffle_batch(
        [image, label], batch_size=BATCH, num_threads=4, capacity=50, min_after_dequeue=12)
    tf.summary.image('images', images)
    return images, tf.reshape(labels, [BATCH])


images, labels = distorted(os.path.join(sys.argv[1], 'train-00001-of-00003'))
w = tf.get_variable('w', [27, 5])
logits = tf.matmul(tf.reshape(images, [BATCH, 27]), w)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels))
train = tf.train.AdamOptimizer(1e-3).minimize(loss)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.start_queue_runners(sess=sess)
    for step in range(4):
        _, value, summary = sess.run([train, loss, merged])
        print('%d: %.3f' % (step, value))
