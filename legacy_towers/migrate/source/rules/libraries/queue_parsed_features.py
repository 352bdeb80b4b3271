"""LT608: tf.contrib.learn.queue_parsed_features."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT608",
    names=("tf.contrib.learn.queue_parsed_features",),
    becomes="prefetch(queue capacity) of the parsed batches",
    explanation="""
A queue of parsed batches behind `read_batch_examples` (LT606), so that parsing runs ahead. `prefetch` is the same.
""",
    limits="""
It stays where the keys are used.
""",
    example=Example(
        before="""
serialized = tf.contrib.learn.read_batch_examples(
    pattern, 2, tf.TFRecordReader, randomize_input=False, num_epochs=1, queue_capacity=20)
_, parsed = tf.contrib.learn.io.queue_parsed_features({"id": parse_many(serialized)}, num_enqueue_threads=1)
batch = parsed["id"]
""",
        after="""
dataset = tf.data.Dataset.list_files(pattern, shuffle=False).flat_map(tf.data.TFRecordDataset)
dataset = dataset.batch(2).map(parse_many).prefetch(100)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
