"""LT414: tf.StagingArea."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT414",
    names=(
        "tf.StagingArea",
        "tf.contrib.staging.StagingArea",
        "tf.StagingArea.put",
        "tf.StagingArea.get",
        "tf.StagingArea.peek",
        "tf.StagingArea.size",
        "tf.StagingArea.clear",
        "tf.StagingArea.incomplete_size",
    ),
    becomes="tf.data.experimental.prefetch_to_device(device) as the last step of the dataset, or prefetch on a CPU",
    explanation="""
It holds the next batch on the device that computes with it, while the step before runs: `put` runs beside the
training step, and `get` gives what was put before. `prefetch_to_device` copies batches to the device ahead of time,
without an operation in the step.
""",
    limits="""
It is never rewritten where `put` and `get` are in the training step: the step changes with it. `get` and `put` of one
`session.run` lose the last element at the end of the data, which the dataset does not.
""",
    example=Example(
        before="""
from tensorflow.python.ops import data_flow_ops

dataset = tf.data.Dataset.range(4)
number = tf.data.make_one_shot_iterator(dataset).get_next()
area = data_flow_ops.StagingArea([tf.int64], [[]])
put, get = area.put([number]), area.get()
with tf.Session() as session:
    session.run(put)
    for step in range(3):
        print(session.run([get, put])[0])
""",
        after="""
dataset = tf.data.Dataset.range(4).prefetch(1)
number = tf.data.make_one_shot_iterator(dataset).get_next()
with tf.Session() as session:
    for step in range(3):
        print([session.run(number)])
""",
        same=SAME_OUTPUT,
    ),
))
