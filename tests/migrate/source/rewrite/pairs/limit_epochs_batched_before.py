from legacy_towers.compat import tf

# Each epoch has the same points.
points = tf.reshape(tf.range(10), [5, 2])
point = tf.train.limit_epochs(points, num_epochs=2)
FETCHED = tf.train.batch([point, tf.square(point)], batch_size=3, enqueue_many=True, allow_smaller_final_batch=True)
