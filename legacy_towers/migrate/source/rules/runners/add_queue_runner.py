"""LT502: tf.train.add_queue_runner."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT502",
    names=("tf.train.add_queue_runner", "tf.GraphKeys.QUEUE_RUNNERS"),
    becomes="nothing: there is no queue runner to start",
    explanation="""
It puts a queue runner into the collection `tf.GraphKeys.QUEUE_RUNNERS`, of which `tf.train.start_queue_runners` and
MonitoredSession start all.
""",
    limits="""
It stays with its queue (LT401). Where the program reads the collection itself, to start or to count queue runners,
this code is yours to change.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
queue = tf.FIFOQueue(10, [tf.int32], [[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
batch = queue.dequeue()
""",
        after="""
dataset = tf.data.Dataset.range(6).prefetch(10)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
