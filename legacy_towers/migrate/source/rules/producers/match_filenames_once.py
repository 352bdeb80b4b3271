"""LT106: tf.match_filenames_once."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT106",
    names=("tf.match_filenames_once",),
    becomes="Dataset.list_files(pattern, shuffle=False)",
    explanation="""
It keeps the names of the files that match a pattern in a local variable. `Dataset.list_files` matches when the
iterator is initialized, in the order of the names if `shuffle=False`; its default is `shuffle=True`.
""",
    limits="""
It stays where the names are used outside of the input pipeline, for instance to count files: compute those by
`tf.io.gfile.glob`.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(tf.train.match_filenames_once(pattern), num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(names)
batch = tf.train.batch([parse(serialized)], batch_size=2)
""",
        after="""
dataset = tf.data.Dataset.list_files(pattern, shuffle=False)
dataset = dataset.flat_map(tf.data.TFRecordDataset).map(parse)
dataset = dataset.batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
