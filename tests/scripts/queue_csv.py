# Wide CSV files read by TextLineReader, decode_csv, several readers joined by batch_join; linear regression on 2 towers.
import os
import tensorflow as tf

tf.flags.DEFINE_string("data_dir", ".", "csv files")
tf.flags.DEFINE_string("train_dir", ".", "checkpoints")
tf.flags.DEFINE_integer("max_steps", 100, "steps")
tf.flags.DEFINE_integer("num_readers", 2, "readers")
FLAGS = tf.flags.FLAGS
NUM_FEATURES = 4


def read_my_file_format(filename_queue):
    reader = tf.TextLineReader(skip_header_lines=1)
    key, value = reader.read(filename_queue)
    record_defaults = [[0.0]] * NUM_FEATURES + [tf.constant([], dtype=tf.int32), ['none']]
    columns = tf.decode_csv(value, record_defaults=record_defaults, field_delim=',')
    features = tf.stack(columns[:NUM_FEATURES])
    length = tf.size(tf.string_split([columns[-1]], delimiter='_').values)
    return features, columns[NUM_FEATURES], length, key


def input_pipeline(filenames, batch_size, num_epochs=None):
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=False)
    if FLAGS.num_readers == 1:
        example = read_my_file_format(filename_queue)
        return tf.train.batch(example, batch_size=batch_size, capacity=4 * batch_size)
    example_list = [read_my_file_format(filename_queue) for _ in range(FLAGS.num_readers)]
    return tf.train.shuffle_batch_join(example_list, batch_size=batch_size, capacity=64 + 3 * batch_size,
                                       min_after_dequeue=64)


def main(_):
    files = sorted(tf.gfile.Glob(os.path.join(FLAGS.data_dir, '*.csv')))
    features, target, length, key = input_pipeline(files, 8, num_epochs=50)
    inputs = tf.concat([features, tf.expand_dims(tf.to_float(length), -1)], axis=1)
    shards = zip(tf.split(inputs, 2, axis=0), tf.split(tf.to_float(target), 2))
    optimizer = tf.train.FtrlOptimizer(0.1, l2_regularization_strength=0.01)
    global_step = tf.train.get_or_create_global_step()
    tower_grads, tower_losses = [], []
    for i, (x, y) in enumerate(shards):
        with tf.device(tf.train.replica_device_setter(ps_tasks=1, ps_device='/cpu:0', worker_device='/gpu:%d' % i)):
            with tf.variable_scope('linear', reuse=None if i == 0 else True):
                w = tf.get_variable('w', shape=(NUM_FEATURES + 1, 1), initializer=tf.glorot_uniform_initializer(),
                                    regularizer=tf.contrib.layers.l2_regularizer(0.001))
                b = tf.get_variable('b', shape=(1,), initializer=tf.zeros_initializer)
                prediction = tf.reshape(tf.matmul(x, w) + b, [-1])
                loss = tf.losses.mean_squared_error(y, prediction, scope='mse_%d' % i)
            tower_losses.append(loss)
            tower_grads.append(optimizer.compute_gradients(loss))
    mean_loss = tf.add_n(tower_losses) / 2 + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    gradients = [((g0 + g1) / 2, v) for (g0, v), (g1, _) in zip(*tower_grads)]
    train_op = optimizer.apply_gradients(gradients, global_step=global_step)
    tf.summary.scalar('loss', mean_loss)

    class _LoggerHook(tf.train.SessionRunHook):
        def begin(self):
            self._step = -1

        def before_run(self, run_context):
            self._step += 1
            return tf.train.SessionRunArgs([mean_loss, key])

        def after_run(self, run_context, run_values):
            value, keys = run_values.results
            print('step %d, loss = %.8f %s' % (self._step, value, os.path.basename(keys[0].decode())))

    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=FLAGS.train_dir,
            save_checkpoint_secs=600,
            hooks=[tf.train.StopAtStepHook(last_step=FLAGS.max_steps), tf.train.NanTensorHook(mean_loss),
                   _LoggerHook()],
            config=tf.ConfigProto(allow_soft_placement=True)) as mon_sess:
        while not mon_sess.should_stop():
            mon_sess.run(train_op)


if __name__ == '__main__':
    tf.app.run()
