from os.path import join

from legacy_towers.compat import tf

files = tf.train.match_filenames_once(join(FOLDER, "*.tfrecord"))
queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
_, record = tf.TFRecordReader().read(queue)
batch = tf.train.batch([record], 4)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    print(session.run(files))
FETCHED = [batch]
