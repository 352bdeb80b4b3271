"""LT415: tf.MapStagingArea."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT415",
    names=("tf.MapStagingArea",),
    becomes="group_by_window by the key, or a join of the parts in Python: written by hand",
    explanation="""
It collects the parts of an element by a key, until all are there. In tf.data the parts of an element stay together:
what computed them apart is one function of `map`.
""",
    limits="""
It is never rewritten: which parts come when depends on the program.
""",
    example=Example(
        before="""
from tensorflow.python.ops import data_flow_ops

dataset = tf.data.Dataset.range(4)
number = tf.data.make_one_shot_iterator(dataset).get_next()
area = data_flow_ops.MapStagingArea([tf.int64], [[]], ordered=True)
put, (key, get) = area.put(number, [number], [0]), area.get()
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
