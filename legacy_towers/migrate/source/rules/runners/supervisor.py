"""LT511: tf.train.Supervisor."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT511",
    names=("tf.train.Supervisor",),
    becomes="tf.train.MonitoredTrainingSession; or the Supervisor stays, and has no queue to start",
    explanation="""
It restores, saves and writes summaries while a model trains, and starts all queue runners in its session. Without
queues it works as before. The loop that asks `supervisor.should_stop()` ends by `tf.errors.OutOfRangeError`, which
`managed_session` catches.
""",
    limits="""
It stays, since it does more than start queues. It is a finding only while the program has queues.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=2)

supervisor = tf.train.Supervisor(logdir=None)
with supervisor.managed_session() as session:
    while not supervisor.should_stop():
        print(session.run(batch))
print("end")
""",
        after="""
dataset = tf.data.Dataset.range(5).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()

with tf.train.MonitoredTrainingSession() as session:
    while not session.should_stop():
        print(session.run(batch))
print("end")
""",
        same=SAME_OUTPUT,
    ),
    needs_queues=True,
))
