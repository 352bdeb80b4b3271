"""LT603: tf.contrib.slim.DatasetDataProvider."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

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
tf.data the files are a dataset, and decoding is the function of `map`: it gives the items by their names.
""",
    limits="""
It stays where the `slim.dataset.Dataset` or its decoder comes from a library, whose features are not in the project.
""",
    example=Example(
        before="""
slim = tf.contrib.slim
decoder = slim.tfexample_decoder.TFExampleDecoder(
    {"id": tf.FixedLenFeature([], tf.int64)}, {"number": slim.tfexample_decoder.Tensor("id")})
data = slim.dataset.Dataset(
    pattern, tf.TFRecordReader, decoder, num_samples=11, items_to_descriptions={"number": "the id"})
provider = slim.dataset_data_provider.DatasetDataProvider(data, num_readers=1, shuffle=False, num_epochs=1)
[number] = provider.get(["number"])
batch = tf.train.batch([number], 2, allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.list_files(pattern, shuffle=False).flat_map(tf.data.TFRecordDataset)
dataset = dataset.map(parse).batch(2)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
