"""LT301: tf.train.batch."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT301",
    names=("tf.train.batch",),
    becomes="batch(batch_size, drop_remainder=True), then prefetch(1); with dynamic_pad=True padded_batch",
    explanation="""
A FIFO queue, threads that fill it, and a dequeue of `batch_size` examples. `drop_remainder=True` is what the queue
does with a last, smaller batch; with `allow_smaller_final_batch=True` leave it out. Other arguments:

- `num_threads=N` becomes `num_parallel_calls=N` of the `map` before it; the order of the examples stays.
- `enqueue_many=True`: the examples of each element come one by one, by `flat_map(Dataset.from_tensor_slices)`.
- `dynamic_pad=True` becomes `padded_batch(batch_size, padded_shapes)`.

`capacity` is not kept. The queue buffered examples, so that its threads could run ahead; `prefetch(1)` makes the next
batch while one is used, and `map` runs ahead by `num_parallel_calls` examples. Where the time that a batch takes
varies, as with files on a network, `prefetch(capacity // batch_size)` buffers as many examples as the queue did, and
takes as much memory.
""",
    limits="""
It stays where what flows into it is fed by a placeholder, depends on a variable that training changes, or is also
used outside of the pipeline, where it was another example in each use. Two batches of one reader stay too: which of
them gets which example is not determined; make two datasets, or one that is split by `shard`.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(7, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number, number * 10], batch_size=3, num_threads=1, allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.range(7).map(lambda number: (number, number * 10), num_parallel_calls=2)
dataset = dataset.batch(3).prefetch(1)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
