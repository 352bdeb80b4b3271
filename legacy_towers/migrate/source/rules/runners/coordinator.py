"""LT505: tf.train.Coordinator."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT505",
    names=("tf.train.Coordinator",),
    becomes="nothing, if only queue runners used it",
    explanation="""
It stops threads together and raises again in the main thread what failed in one of them. With datasets there are no
threads to stop, and an error of the input is raised by `session.run` itself.
""",
    limits="""
It stays as long as a queue of the program stays, and where it coordinates threads of the program's own.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=2)

with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
    try:
        while not coordinator.should_stop():
            print(session.run(batch))
    except tf.errors.OutOfRangeError:
        print("end")
    finally:
        coordinator.request_stop()
        coordinator.join(threads)
""",
        after="""
dataset = tf.data.Dataset.range(5).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()

with tf.Session() as session:
    try:
        while True:
            print(session.run(batch))
    except tf.errors.OutOfRangeError:
        print("end")
""",
        same=SAME_OUTPUT,
    ),
    needs_queues=True,
))
