"""LT506: coordinator.should_stop."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT506",
    names=("tf.train.Coordinator.should_stop",),
    becomes="while True, which ends by tf.errors.OutOfRangeError as before",
    explanation="""
The condition of the training loop: it is true when a thread has asked to stop, which queue runners do at the end of
the input. A dataset raises `tf.errors.OutOfRangeError` at its end, in the loop, and the `except` that was there ends
it.
""",
    limits="""
It stays as long as a queue of the program stays, and where the program's own threads stop the loop. A loop without an
`except tf.errors.OutOfRangeError` needs one if the input has a number of epochs.
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
