"""LT505: tf.train.Coordinator."""
from legacy_towers.migrate.source.rules.registry import Rule, rule
from legacy_towers.migrate.source.rules.runners.coordinated_loop import COORDINATED_LOOP

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
    example=COORDINATED_LOOP,
    needs_queues=True,
))
