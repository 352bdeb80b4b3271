"""LT203: tf.FixedLengthRecordReader."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT203",
    names=("tf.FixedLengthRecordReader",),
    becomes="flat_map(lambda name: tf.data.FixedLengthRecordDataset(name, record_bytes, header_bytes, footer_bytes))",
    explanation="""
It reads records of `record_bytes` bytes, as those of CIFAR-10. The dataset has the same arguments.

The dataset raises an error for an incomplete record at the end of a file, which the reader left out: add its bytes
to `footer_bytes`.
""",
    limits="""
It stays with `hop_bytes`, records that overlap, which tf.data lacks; read the file by `tf.io.read_file` and cut it by
`tf.io.decode_raw` and `tf.signal.frame`. It also stays where the reader's position is used (LT210). Its keys, such as
"file:0", come from `dataset.enumerate()`.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(binaries, num_epochs=1, shuffle=False)
_, data = tf.FixedLengthRecordReader(record_bytes=4).read(names)
numbers = tf.reshape(tf.decode_raw(data, tf.uint8), [4])
batch = tf.train.batch([numbers], batch_size=3)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(binaries)
dataset = dataset.flat_map(lambda name: tf.data.FixedLengthRecordDataset(name, 4))
dataset = dataset.map(lambda data: tf.reshape(tf.decode_raw(data, tf.uint8), [4]))
dataset = dataset.batch(3, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
