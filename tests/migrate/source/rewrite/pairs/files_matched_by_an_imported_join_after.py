from os.path import join

from legacy_towers.compat import tf

files = tf.matching_files(join(FOLDER, "*.tfrecord"))
dataset = tf.data.Dataset.list_files(join(FOLDER, "*.tfrecord"), shuffle=False)
dataset = dataset.flat_map(tf.data.TFRecordDataset)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
with tf.Session() as session:
    print(session.run(files))
FETCHED = [batch]
