"""The example of the rules for what slim's DatasetDataProvider reads."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example

PROVIDED_RECORDS = Example(
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
)
