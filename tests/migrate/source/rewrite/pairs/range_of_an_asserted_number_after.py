from legacy_towers.compat import tf

data = tf.constant([[3, 1, 4], [1, 5, 9]])
count = tf.shape(data)[1] - 1
assertion = tf.assert_positive(count, message="no steps")
with tf.control_dependencies([assertion]):
    count = tf.identity(count)
dataset = tf.data.Dataset.from_tensor_slices(tf.range(count))
dataset = dataset.repeat(3)
with tf.control_dependencies([count]):
    i = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [data[:, i], i]
