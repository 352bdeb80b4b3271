"""LT303: tf.train.batch_join."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT303",
    names=("tf.train.batch_join",),
    becomes="interleave over the files with cycle_length=READERS, then batch(batch_size, drop_remainder=True)",
    explanation="""
Several readers, each with a thread of its own, fill one queue. Where they all read from one queue of names,
`interleave` with as many files open at a time does the same, without threads of Python. Where the readers compute
different things, each is a dataset, and `tf.data.experimental.sample_from_datasets` mixes them.

Where threads compute examples of one reader by their number, as in Inception with `thread_id`, each
example is computed by one of them: `enumerate` and `tf.switch_case` give examples the numbers in turn.
""",
    limits="""
It stays for the reasons of `tf.train.batch` (LT301), where the readers share more than the queue of names, where
examples differ by the number of the reader, and where the list of examples is passed through several functions.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(records, num_epochs=1)
examples = [[parse(tf.TFRecordReader().read(names)[1])] for _ in range(2)]
batch = tf.train.batch_join(examples, batch_size=2, allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(records).shuffle(len(records))
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)
dataset = dataset.map(parse).batch(2).prefetch(1)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
