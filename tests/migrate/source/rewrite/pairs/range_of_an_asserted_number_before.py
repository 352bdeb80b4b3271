from legacy_towers.compat import tf

data = tf.constant([[3, 1, 4], [1, 5, 9]])
count = tf.shape(data)[1] - 1
assertion = tf.assert_positive(count, message="no steps")
with tf.control_dependencies([assertion]):
    count = tf.identity(count)
i = tf.train.range_input_producer(count, num_epochs=3, shuffle=False).dequeue()
FETCHED = [data[:, i], i]
