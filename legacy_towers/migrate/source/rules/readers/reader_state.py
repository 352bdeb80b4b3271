"""LT210: reader.num_records_produced."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT210",
    names=(
        "tf.ReaderBase.num_records_produced",
        "tf.ReaderBase.num_work_units_completed",
        "tf.ReaderBase.reset",
        "tf.ReaderBase.restore_state",
        "tf.ReaderBase.serialize_state",
        "tf.contrib.slim.ParallelReader.num_records_produced",
        "tf.contrib.slim.ParallelReader.num_work_units_completed",
    ),
    becomes="a saved iterator (tf.data.experimental.make_saveable_from_iterator), or dataset.enumerate() for a count",
    explanation="""
They read or set how far a reader has come. An iterator can be saved in checkpoints with the model, and goes on where
it stopped; a count of records comes from `dataset.enumerate()`.
""",
    limits="""
They are never rewritten, and a pipeline stays whose reader has such a call: what the program does with the position
is its own. The example counts records.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(records, num_epochs=1, shuffle=False)
reader = tf.TFRecordReader()
_, serialized = reader.read(names)
with tf.control_dependencies([serialized]):
    count = reader.num_records_produced()
batch = [parse(serialized), count]
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(records).flat_map(tf.data.TFRecordDataset)
dataset = dataset.enumerate(start=1).map(lambda count, serialized: (parse(serialized), count))
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
