"""LT304: tf.train.shuffle_batch_join."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT304",
    names=("tf.train.shuffle_batch_join",),
    becomes=(
        "interleave over the files with cycle_length=READERS, shuffle(capacity), batch(batch_size, "
        "drop_remainder=True)"
    ),
    explanation="""
Several readers fill one shuffling queue: `tf.train.batch_join` (LT303) and `tf.train.shuffle_batch` (LT302) at once.
""",
    limits="""
It stays for the reasons of `tf.train.batch_join` (LT303).
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(records, num_epochs=1)
examples = [[parse(tf.TFRecordReader().read(names)[1])] for _ in range(2)]
batch = tf.train.shuffle_batch_join(examples, batch_size=2, capacity=10, min_after_dequeue=4,
                                    allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(records).shuffle(len(records))
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2).shuffle(10)
dataset = dataset.map(parse).batch(2).prefetch(1)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
