"""LT606: tf.contrib.learn.read_batch_examples."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT606",
    names=(
        "tf.contrib.learn.read_batch_examples",
        "tf.contrib.learn.read_keyed_batch_examples",
        "tf.contrib.learn.read_keyed_batch_examples_shared_queue",
    ),
    becomes="list_files, interleave with cycle_length=num_threads, shuffle(queue_capacity), batch(batch_size)",
    explanation="""
It reads serialized examples of the files of a pattern in batches; `reader` is a function that makes the reader, often
a lambda of `tf.TFRecordReader`. With `randomize_input=False` it is one file after the other: `flat_map`.
""",
    limits="""
It stays with another `reader` than `tf.TFRecordReader` or `tf.TextLineReader`, where the source does not show what
`parse_fn` returns, with `read_batch_size`, where the keys are read, and where the queue is shared between processes. A
list that `parse_fn` returns is stacked, as the queue did.
""",
    example=Example(
        before="""
batch = tf.contrib.learn.read_batch_examples(
    pattern, 2, tf.TFRecordReader, randomize_input=False, num_epochs=1, queue_capacity=20)
""",
        after="""
dataset = tf.data.Dataset.list_files(pattern, shuffle=False).flat_map(tf.data.TFRecordDataset).batch(2)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
