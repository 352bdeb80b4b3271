"""LT504: runner.create_threads."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT504",
    names=("tf.train.QueueRunner.create_threads", "tf.contrib.slim.queues.QueueRunners"),
    becomes="nothing: there is no queue runner to start",
    explanation="""
Both start the threads of queue runners: `create_threads` those of one, `tf.contrib.slim.queues.QueueRunners` those of
a collection while a `with` statement runs.
""",
    limits="""
They stay as long as a queue of the program stays.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=2)

with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = []
    for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        threads += runner.create_threads(session, coordinator, daemon=True, start=True)
    print(session.run(batch))
    coordinator.request_stop()
    coordinator.join(threads)
""",
        after="""
dataset = tf.data.Dataset.range(5).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()

with tf.Session() as session:
    print(session.run(batch))
""",
        same=SAME_OUTPUT,
    ),
))
