"""LT605: tf.contrib.slim.Dataset."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT605",
    names=("tf.contrib.slim.Dataset",),
    becomes="the file pattern and the function that decodes, which Dataset.list_files and map take",
    explanation="""
A description of files: pattern, reader, decoder, number of samples. It has no queue itself; `DatasetDataProvider`
(LT603) makes the queues from it.
""",
    limits="""
It can stay as a description. It is a finding only while the program reads it by queues.
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
    needs_queues=True,
))
