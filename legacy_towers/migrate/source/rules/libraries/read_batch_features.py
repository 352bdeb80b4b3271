"""LT607: tf.contrib.learn.read_batch_features."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT607",
    names=(
        "tf.contrib.learn.read_batch_features",
        "tf.contrib.learn.read_batch_record_features",
        "tf.contrib.learn.read_keyed_batch_features",
        "tf.contrib.learn.read_keyed_batch_features_shared_queue",
    ),
    becomes="tf.data.experimental.make_batched_features_dataset(pattern, batch_size, features)",
    explanation="""
It reads `tf.train.Example`s in batches and parses them. `make_batched_features_dataset` has the same arguments:
`shuffle`, `num_epochs`, and `reader=tf.data.TFRecordDataset`.
""",
    limits="""
It stays with another `reader` than `tf.TFRecordReader`, with a `parse_fn`, where the keys are read, and where the queue
is shared between processes.
""",
    example=Example(
        before="""
features = {"id": tf.FixedLenFeature([], tf.int64)}
batch = tf.contrib.learn.read_batch_features(
    pattern, 2, features, tf.TFRecordReader, randomize_input=False, num_epochs=1, queue_capacity=20)
""",
        after="""
features = {"id": tf.FixedLenFeature([], tf.int64)}
dataset = tf.data.experimental.make_batched_features_dataset(
    pattern, 2, features, num_epochs=1, shuffle=False)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
