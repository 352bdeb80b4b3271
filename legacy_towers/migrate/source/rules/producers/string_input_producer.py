"""LT101: tf.train.string_input_producer."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT101",
    names=("tf.train.string_input_producer",),
    becomes=(
        "Dataset.from_tensor_slices(files), with shuffle(number of files) unless shuffle=False, and repeat(num_epochs)"
    ),
    explanation="""
A queue of file names, and a thread that fills it, in a new random order in each epoch unless `shuffle=False`. The
names become the first dataset of the pipeline; `seed` and `num_epochs` are arguments of `shuffle` and `repeat`.
The number of files is `len(files)` of a list and `tf.size(files, out_type=tf.int64)` of a tensor; a list of one file
is not shuffled. Without `num_epochs` the dataset repeats for ever. `capacity` has no counterpart: nothing waits in a
queue.

With `num_epochs` the queue counted in a local variable. That is gone, so that `tf.local_variables_initializer` is
only needed where other local variables are (LT510).
""",
    limits="""
It stays where the names are fed by `feed_dict`, or where the same queue is also filled, sized or closed by other code
(LT406, LT411). A dataset takes a placeholder if its iterator is initialized by `session.run(iterator.initializer,
feed_dict=...)`: write this by hand.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(records, num_epochs=2, shuffle=False)
_, serialized = tf.TFRecordReader().read(names)
batch = tf.train.batch([parse(serialized)], batch_size=2)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(records).repeat(2)
dataset = dataset.flat_map(tf.data.TFRecordDataset).map(parse)
dataset = dataset.batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
