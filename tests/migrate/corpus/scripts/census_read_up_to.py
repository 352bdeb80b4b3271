"""Wide features of census lines, several lines at a time."""
import argparse

import tensorflow as tf

CSV_COLUMNS = ['age', 'job', 'hours', 'income']
DEFAULTS = [[0], [''], [40], ['']]
LABEL = 'income'


def parse_csv(rows_string_tensor):
    row_columns = tf.expand_dims(rows_string_tensor, -1)
    columns = tf.decode_csv(row_columns, record_defaults=DEFAULTS)
    return dict(zip(CSV_COLUMNS, columns))


def input_fn(filenames, num_epochs=None, shuffle=True, batch_size=5):
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=shuffle)
    reader = tf.TextLineReader()
    _, rows = reader.read_up_to(filename_queue, num_records=batch_size)
    features = parse_csv(rows)
    if shuffle:
        features = tf.train.shuffle_batch(features, batch_size, capacity=batch_size * 10,
                                          min_after_dequeue=batch_size * 2 + 1, enqueue_many=True,
                                          allow_smaller_final_batch=True)
    label = features.pop(LABEL)
    return features, tf.cast(tf.equal(label, '>50K'), tf.float32)


def run(args):
    features, labels = input_fn(sorted(tf.gfile.Glob(args.data + '/census/part-*.csv')), args.epochs)
    job = tf.string_to_hash_bucket_fast(features['job'], 20)
    x = tf.concat([tf.cast(features['age'], tf.float32) / 100., tf.cast(features['hours'], tf.float32) / 40.,
                   tf.reshape(tf.one_hot(job, 20), [-1, 20])], 1)
    logits = tf.squeeze(tf.layers.dense(x, 1), 1)
    loss = tf.losses.sigmoid_cross_entropy(tf.squeeze(labels, 1), logits)
    train = tf.train.FtrlOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        steps = 0
        with coord.stop_on_exception():
            while not coord.should_stop():
                session.run(train)
                steps += 1
        coord.join(threads)
        print('%d steps' % steps)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('data')
    parser.add_argument('--epochs', type=int, default=2)
    run(parser.parse_args())
