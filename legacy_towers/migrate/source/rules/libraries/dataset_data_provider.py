"""LT603: tf.contrib.slim.DatasetDataProvider."""
from legacy_towers.migrate.source.rules.libraries.provided_records import PROVIDED_RECORDS
from legacy_towers.migrate.source.rules.registry import Rule, rule

rule(Rule(
    code="LT603",
    names=(
        "tf.contrib.slim.DatasetDataProvider",
        "tf.contrib.slim.DatasetDataProvider.get",
        "tf.contrib.slim.DatasetDataProvider.list_items",
        "tf.contrib.slim.ParallelDataProvider",
        "tf.contrib.slim.ParallelDataProvider.get",
        "tf.contrib.slim.ParallelDataProvider.list_items",
    ),
    becomes="list_files, interleave with cycle_length=num_readers, shuffle(common_queue_capacity), map(decode)",
    explanation="""
It reads the files of a `slim.dataset.Dataset` by `parallel_read` (LT602) and decodes the items that are asked for. In
tf.data the files are a dataset, and decoding is the function of `map`: `data.decoder.decode(record, items)`. The
decoder and the `slim.dataset.Dataset` stay as they are. Where the provider is passed to functions, or asked
for items several times, `map` makes a `slim.data_provider.DataProvider` of the items of a record.
""",
    limits="""
It stays where the source does not show which reader the files have, with a reader that tf.data lacks, where its
`record_key` is used, where the decoder uses a table, and where examples are used without a batch.
""",
    example=PROVIDED_RECORDS,
))
