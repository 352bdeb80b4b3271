from legacy_towers.compat import tf

number = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
numbers, squares = tf.train.batch([number, number * number], 2)
batches = tf.FIFOQueue(4, [tf.int32, tf.int32], [[2], [2]])
tf.train.add_queue_runner(tf.train.QueueRunner(batches, [batches.enqueue([numbers, squares])]))
FETCHED = []
for tower in range(2):
    with tf.control_dependencies(FETCHED), tf.name_scope("tower_{}".format(tower)):
        x, y = batches.dequeue()
        FETCHED += [tf.identity(x), tf.identity(y)]
