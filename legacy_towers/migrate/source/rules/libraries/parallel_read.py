"""LT602: tf.contrib.slim.parallel_read."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT602",
    names=(
        "tf.contrib.slim.parallel_read",
        "tf.contrib.slim.ParallelReader",
        "tf.contrib.slim.ParallelReader.read",
        "tf.contrib.slim.single_pass_read",
    ),
    becomes="list_files, then interleave with cycle_length=num_readers, and shuffle(capacity) if it shuffles",
    explanation="""
Several readers of one class read the files of a pattern into a common queue. `interleave` keeps as many files open.
`single_pass_read` reads all once, with one reader: `flat_map`.
""",
    limits="""
It stays with a reader class that tf.data lacks, where the keys are used, and with a `ParallelReader` of the script's
own.
""",
    example=Example(
        before="""
_, serialized = tf.contrib.slim.parallel_reader.parallel_read(
    pattern, tf.TFRecordReader, num_epochs=1, num_readers=2, shuffle=False)
batch = tf.train.batch([parse(serialized)], 2, allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.list_files(pattern, shuffle=False)
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)
dataset = dataset.map(parse).batch(2)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
