"""LT509: coordinator.stop_on_exception."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT509",
    names=(
        "tf.train.Coordinator.stop_on_exception",
        "tf.train.Coordinator.clear_stop",
        "tf.train.Coordinator.raise_requested_exception",
        "tf.train.Coordinator.register_thread",
        "tf.train.Coordinator.wait_for_stop",
    ),
    becomes="nothing, or the body of its `with` statement, if only queue runners used the coordinator",
    explanation="""
`with coordinator.stop_on_exception():` turns an error, and the end of the input, into a request to stop. The body of
the statement stays, and a loop in it ends by `except tf.errors.OutOfRangeError`. The other methods have nothing to do
without threads.
""",
    limits="""
They stay as long as a queue of the program stays, and where the coordinator serves the program's own threads.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=2)

with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
    with coordinator.stop_on_exception():
        while not coordinator.should_stop():
            print(session.run(batch))
    print("end")
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
