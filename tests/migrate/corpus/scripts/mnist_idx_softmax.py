# Softmax regression on the original MNIST files, which have a header, read by two readers side by side
import sys

import tensorflow as tf

folder = sys.argv[1] + "/digits/"
side = 28

image_files = tf.train.string_input_producer([folder + "train-images-idx3-ubyte"], shuffle=False)
label_files = tf.train.string_input_producer([folder + "train-labels-idx1-ubyte"], shuffle=False)
_, image_bytes = tf.FixedLengthRecordReader(side * side, header_bytes=16).read(image_files)
_, label_bytes = tf.FixedLengthRecordReader(1, header_bytes=8).read(label_files)
image = tf.reshape(tf.cast(tf.decode_raw(image_bytes, tf.uint8), tf.float32) / 255.0, [side * side])
label = tf.one_hot(tf.cast(tf.decode_raw(label_bytes, tf.uint8)[0], tf.int32), 10)
x, y_ = tf.train.batch([image, label], batch_size=5, capacity=50)

W = tf.Variable(tf.zeros([784, 10]))
b = tf.Variable(tf.zeros([10]))
y = tf.nn.softmax(tf.matmul(x, W) + b)
cross_entropy = -tf.reduce_sum(y_ * tf.log(y + 1e-10))
train_step = tf.train.GradientDescentOptimizer(0.01).minimize(cross_entropy)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1)), tf.float32))

sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(coord=coord)
for i in range(8):
    train_step.run()
    if i % 4 == 0:
        print(i, accuracy.eval())
coord.request_stop()
coord.join(threads)
sess.close()
