"""LT605: tf.contrib.slim.Dataset."""
from legacy_towers.migrate.source.rules.libraries.provided_records import PROVIDED_RECORDS
from legacy_towers.migrate.source.rules.registry import Rule, rule

rule(Rule(
    code="LT605",
    names=("tf.contrib.slim.Dataset",),
    becomes="the file pattern and the function that decodes, which Dataset.list_files and map take",
    explanation="""
A description of files: pattern, reader, decoder, number of samples. It has no queue itself; `DatasetDataProvider`
(LT603) makes the queues from it.
""",
    limits="""
It stays as a description, whose files and decoder the dataset uses. It is a finding only while the program reads it by
queues.
""",
    example=PROVIDED_RECORDS,
    needs_queues=True,
))
