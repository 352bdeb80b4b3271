"""LT510: tf.local_variables_initializer."""
from legacy_towers.migrate.source.rules.registry import Rule, rule
from legacy_towers.migrate.source.rules.runners.coordinated_loop import COORDINATED_LOOP

rule(Rule(
    code="LT510",
    names=("tf.local_variables_initializer",),
    becomes="nothing, if only the queues had local variables",
    explanation="""
It initializes local variables. Queues have those that count epochs (`num_epochs`) and those of
`tf.train.match_filenames_once`; datasets have none.
""",
    limits="""
It stays where something else has local variables, as `tf.metrics` do, and where the source does not show
all variables of the program. Keeping it does no harm: it is a finding only while the program has queues.
""",
    example=COORDINATED_LOOP,
    needs_queues=True,
))
