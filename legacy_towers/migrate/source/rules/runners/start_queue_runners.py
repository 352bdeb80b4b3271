"""LT503: tf.train.start_queue_runners."""
from legacy_towers.migrate.source.rules.registry import Rule, rule
from legacy_towers.migrate.source.rules.runners.coordinated_loop import COORDINATED_LOOP

rule(Rule(
    code="LT503",
    names=("tf.train.start_queue_runners",),
    becomes="nothing: a dataset starts when it is read",
    explanation="""
It starts the threads of all queue runners. Without it a program with queues waits for ever; with datasets only it has
nothing to start.
""",
    limits="""
It stays as long as a queue of the program stays. Where the project has no pipeline that it starts, the queues are
made elsewhere: in a library, or in a file that was not named to `legacy-towers migrate`.
""",
    example=COORDINATED_LOOP,
))
