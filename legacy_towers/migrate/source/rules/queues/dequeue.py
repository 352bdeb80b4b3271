"""LT408: queue.dequeue."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT408",
    names=("tf.QueueBase.dequeue",),
    becomes="iterator.get_next()",
    explanation="""
It dequeues one element. It becomes `get_next()` of an iterator, each call of which returns the next element, as each
dequeue does. Where the element flows into another queue, it is the argument of the function of `map`.
""",
    limits="""
It stays in the body of a `tf.while_loop`: let the dataset batch what the loop dequeues, by `batch(n)`, and loop over
the rows of one `get_next()`. It also stays where a queue is read by dequeues of different numbers of elements: dequeue
single elements everywhere, with `tf.stack([queue.dequeue() for _ in range(n)])` in place of `queue.dequeue_many(n)`.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
batch = number * 2
""",
        after="""
dataset = tf.data.Dataset.range(6)
batch = tf.data.make_one_shot_iterator(dataset).get_next() * 2
""",
        same=SAME_SEQUENCE,
    ),
))
