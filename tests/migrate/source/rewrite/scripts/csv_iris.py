"""A softmax classifier of irises, in the manner of the books of 2016."""
import os
import sys
import tensorflow as tf

W = tf.Variable(tf.zeros([3, 3]), name="weights")
b = tf.Variable(tf.zeros([3]), name="bias")


def inference(X):
    return tf.matmul(X, W) + b


def loss(X, Y):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=inference(X), labels=Y))


def read_csv(batch_size, file_name, record_defaults):
    filename_queue = tf.train.string_input_producer([os.path.join(sys.argv[1], file_name)])

    reader = tf.TextLineReader(skip_header_lines=1)
    key, value = reader.read(filename_queue)

    # decode_csv will convert a Tensor from type string (the text line) in
    # a tuple of tensor columns with the specified defaults
    decoded = tf.decode_csv(value, record_defaults=record_defaults)

    # batch actually reads the file and loads "batch_size" rows in a single tensor
    return tf.train.shuffle_batch(decoded,
                                  batch_size=batch_size,
                                  capacity=batch_size * 50,
                                  min_after_dequeue=batch_size)


def inputs():
    sepal, petal, count, label = read_csv(4, "iris_0.csv", [[0.0], [0.0], [0.0], [""]])
    label_number = tf.to_int32(tf.argmax(tf.to_int32(tf.stack([
        tf.equal(label, ["x"]),
        tf.equal(label, ["y"]),
        tf.equal(label, ["z"])
    ])), 0))
    features = tf.transpose(tf.stack([sepal, petal, count]))
    return features, label_number


with tf.Session() as sess:
    X, Y = inputs()
    total_loss = loss(X, Y)
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(total_loss)

    tf.global_variables_initializer().run()

    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)

    # actual training loop
    training_steps = 6
    for step in range(training_steps):
        sess.run([train_op])
        # see how the loss gets decremented through training steps
        if step % 2 == 0:
            print("loss: ", sess.run([total_loss]))

    coord.request_stop()
    coord.join(threads)
    sess.close()
