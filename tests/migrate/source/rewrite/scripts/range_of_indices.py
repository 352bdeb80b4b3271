import numpy as np
import tensorflow as tf

NUM_STEPS, BATCH = 3, 2
raw = np.arange(43) % 11


def ptb_producer(raw_data, batch_size, num_steps, name=None):
    """Iterates on the raw data, in chunks of num_steps."""
    with tf.name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
        raw_data = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
        data_len = tf.size(raw_data)
        batch_len = data_len // batch_size
        data = tf.reshape(raw_data[0: batch_size * batch_len], [batch_size, batch_len])
        epoch_size = (batch_len - 1) // num_steps
        i = tf.train.range_input_producer(epoch_size, shuffle=False).dequeue()
        x = tf.strided_slice(data, [0, i * num_steps], [batch_size, (i + 1) * num_steps])
        x.set_shape([batch_size, num_steps])
        y = tf.strided_slice(data, [0, i * num_steps + 1], [batch_size, (i + 1) * num_steps + 1])
        y.set_shape([batch_size, num_steps])
        return x, y


x, y = ptb_producer(raw, BATCH, NUM_STEPS)
with tf.Session() as session:
    coord = tf.train.Coordinator()
    tf.train.start_queue_runners(session, coord=coord)
    for _ in range(9):
        print(session.run([x, y]))
    coord.request_stop()
    coord.join()
