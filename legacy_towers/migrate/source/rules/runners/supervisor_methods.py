"""LT512: supervisor.start_queue_runners."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT512",
    names=(
        "tf.train.Supervisor.start_queue_runners",
        "tf.train.Supervisor.StartQueueRunners",
        "tf.train.Supervisor.coord",
        "tf.train.Supervisor.managed_session",
        "tf.train.Supervisor.prepare_or_wait_for_session",
        "tf.train.Supervisor.should_stop",
        "tf.train.Supervisor.request_stop",
        "tf.train.Supervisor.stop",
        "tf.train.Supervisor.loop",
        "tf.train.Supervisor.wait_for_stop",
        "tf.train.Supervisor.start_standard_services",
    ),
    becomes=(
        "start_queue_runners: nothing; the others stay with the Supervisor, or are those of "
        "MonitoredTrainingSession"
    ),
    explanation="""
`supervisor.start_queue_runners(session)` starts the queues that the supervisor does not start itself: after
`prepare_or_wait_for_session`, or a list of its own. With datasets there is nothing to start. The other methods, and
`supervisor.coord`, work as before.
""",
    limits="""
They stay with the Supervisor, and `start_queue_runners` as long as a queue of the program stays. They are findings
only while the program has queues.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=2)

supervisor = tf.train.Supervisor(logdir=None)
session = supervisor.prepare_or_wait_for_session("", start_standard_services=False)
supervisor.start_queue_runners(session)
print(session.run(batch))
supervisor.stop()
""",
        after="""
dataset = tf.data.Dataset.range(5).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()

with tf.train.MonitoredTrainingSession() as session:
    print(session.run(batch))
""",
        same=SAME_OUTPUT,
    ),
    needs_queues=True,
))
