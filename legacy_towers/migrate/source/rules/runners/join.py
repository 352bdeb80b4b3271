"""LT508: coordinator.join."""
from legacy_towers.migrate.source.rules.registry import Rule, rule
from legacy_towers.migrate.source.rules.runners.coordinated_loop import COORDINATED_LOOP

rule(Rule(
    code="LT508",
    names=("tf.train.Coordinator.join",),
    becomes="nothing: there is no thread to wait for",
    explanation="""
It waits until all threads have stopped, and raises what failed in one of them. With datasets an error of the input is
raised by `session.run`.
""",
    limits="""
It stays as long as a queue of the program stays, and where it waits for the program's own threads.
""",
    example=COORDINATED_LOOP,
    needs_queues=True,
))
