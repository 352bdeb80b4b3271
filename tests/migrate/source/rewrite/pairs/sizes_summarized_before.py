from legacy_towers.compat import tf

CAPACITY = 12
names = tf.train.string_input_producer(FILES, num_epochs=2, shuffle=False)
tf.summary.scalar('files_waiting', names.size())
_, serialized = tf.TFRecordReader().read(names)
number = tf.io.parse_single_example(serialized, {'id': tf.io.FixedLenFeature([], tf.int64)})['id']
queue = tf.FIFOQueue(CAPACITY, [tf.int64], shapes=[[]])
enqueue = queue.enqueue([number])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
# How full it is.
fraction = tf.cast(queue.size(), tf.float32) / CAPACITY
tf.summary.scalar('queue/%s/fraction' % queue.name, fraction)
tf.summary.histogram('fractions', tf.reshape(fraction, [1]))
numbers = queue.dequeue_many(3)
tf.summary.histogram('numbers', numbers)
FETCHED = numbers
