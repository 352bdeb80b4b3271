"""LT202: tf.TextLineReader."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT202",
    names=("tf.TextLineReader",),
    becomes="flat_map(lambda name: tf.data.TextLineDataset(name).skip(skip_header_lines))",
    explanation="""
It reads the lines of text files, without the ends of lines. `skip_header_lines=N` becomes `skip(N)` for each file, so
it belongs into `flat_map`.
""",
    limits="""
It stays where the reader's position is used (LT210). Its keys, such as "file:1", come from `dataset.enumerate(1)`.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(texts, num_epochs=1, shuffle=False)
_, line = tf.TextLineReader(skip_header_lines=1).read(names)
batch = tf.train.batch(tf.decode_csv(line, [[0], [0.0]]), batch_size=2)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(texts)
dataset = dataset.flat_map(lambda name: tf.data.TextLineDataset(name).skip(1))
dataset = dataset.map(lambda line: tf.decode_csv(line, [[0], [0.0]]))
dataset = dataset.batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
