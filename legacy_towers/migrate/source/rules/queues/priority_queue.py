"""LT404: tf.PriorityQueue."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT404",
    names=("tf.PriorityQueue",),
    becomes="a dataset of sorted elements, or of windows of capacity elements that are sorted: written by hand",
    explanation="""
It gives the element with the smallest number first, among those that are in it. tf.data has no priorities. Where the
numbers are known before, sort them and make the dataset of what is sorted. Where they are computed, sort windows:
`batch(capacity)`, `map` with `tf.gather(values, tf.argsort(priorities, stable=True))`, then `unbatch()`. This is what a
queue gives that is filled up, emptied and filled again.
""",
    limits="""
It is never rewritten in source code: which elements are in the queue when one is taken depends on threads, and only a
reader of the program knows whether windows of `capacity` elements are meant. `lt.migrate.convert()` and
`legacy-towers run --queues-to-dataset` convert a queue that a queue runner fills to such windows.
""",
    example=Example(
        before="""
queue = tf.PriorityQueue(10, [tf.string], [[]])
fill = queue.enqueue_many([tf.constant([3, 1, 2], tf.int64), ["c", "a", "b"]])
with tf.control_dependencies([fill]):
    batch = queue.dequeue_many(3)
""",
        after="""
priorities, values = [3, 1, 2], ["c", "a", "b"]
pairs = sorted(zip(priorities, values))
dataset = tf.data.Dataset.from_tensor_slices(([each[0] for each in pairs], [each[1] for each in pairs]))
batch = tf.data.make_one_shot_iterator(dataset.repeat().batch(3)).get_next()
""",
        same=SAME_SEQUENCE,
        steps=1,
    ),
))
