"""LT507: coordinator.request_stop."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT507",
    names=("tf.train.Coordinator.request_stop",),
    becomes="nothing; break, where it ends the loop",
    explanation="""
It asks all threads to stop: after the loop those of the queue runners, which are gone; inside the loop the loop
itself, which `break` ends. `coordinator.request_stop(error)` in an `except` becomes `raise`, since `coordinator.join`
raised the error.
""",
    limits="""
It stays as long as a queue of the program stays, and where it stops the program's own threads.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=2)

with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
    while not coordinator.should_stop():
        values = session.run(batch)
        print(values)
        if values[0] == 2:
            coordinator.request_stop()
    coordinator.join(threads)
""",
        after="""
dataset = tf.data.Dataset.range(5).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()

with tf.Session() as session:
    while True:
        values = session.run(batch)
        print(values)
        if values[0] == 2:
            break
""",
        same=SAME_OUTPUT,
    ),
    needs_queues=True,
))
