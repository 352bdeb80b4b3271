"""LT510: tf.local_variables_initializer."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT510",
    names=("tf.local_variables_initializer",),
    becomes="nothing, if only the queues had local variables",
    explanation="""
It initializes local variables. Queues have those that count epochs (`num_epochs`) and those of
`tf.train.match_filenames_once`; datasets have none.
""",
    limits="""
It stays where something else has local variables, as `tf.metrics` do, and where what else the program makes is not
known. To keep it costs nothing: it is a finding only while the program has queues.
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
