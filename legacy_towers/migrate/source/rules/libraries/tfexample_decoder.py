"""LT604: tf.contrib.slim.TFExampleDecoder."""
from legacy_towers.migrate.source.rules.libraries.provided_records import PROVIDED_RECORDS
from legacy_towers.migrate.source.rules.registry import Rule, rule

rule(Rule(
    code="LT604",
    names=("tf.contrib.slim.TFExampleDecoder",),
    becomes="a function of map: tf.io.parse_single_example, and the handlers as operations",
    explanation="""
It parses a `tf.train.Example` by `keys_to_features` and computes items by handlers such as `Image` and `Tensor`. The
features are those of `tf.io.parse_single_example`. `decoder.decode(serialized, items)` can also be called in `map` as
it is: it has no queue, and stays so.
""",
    limits="""
It stays where a handler is the script's own class.
""",
    example=PROVIDED_RECORDS,
    needs_queues=True,
))
