"""LT506: coordinator.should_stop."""
from legacy_towers.migrate.source.rules.registry import Rule, rule
from legacy_towers.migrate.source.rules.runners.coordinated_loop import COORDINATED_LOOP

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
    example=COORDINATED_LOOP,
    needs_queues=True,
))
