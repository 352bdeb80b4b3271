"""Records that are read several at once are shuffled and put into batches before they are parsed, if rows stay rows."""
import numpy as np
import pytest
from queue_inputs import examples, parsed, producer, record, run_to_end

from legacy_towers.compat import tf
from legacy_towers.migrate import convert

ID = {"id": tf.io.FixedLenFeature([], tf.int64)}


def strings(files, key=False):
    keys, values = tf.TFRecordReader().read_up_to(producer(files["tfrecord"]), 4)
    return keys if key else values


def ids(files):
    return tf.io.parse_example(strings(files), ID)["id"]


def lines(files):
    return tf.TextLineReader(skip_header_lines=1).read_up_to(producer(files["csv"]), 4)[1]


def with_words(files):
    features = dict(ID, words=tf.io.VarLenFeature(tf.int64))
    found = tf.io.parse_example(strings(files), features)
    return [found["id"], tf.size(found["words"].values) + 0 * tf.cast(found["id"], tf.int32)]


def minus_the_least(numbers):
    return [numbers - tf.reduce_min(numbers)]


def numbered(numbers):
    return [numbers, tf.range(tf.size(numbers))]


def added_to_two_rows(numbers):
    pairs = tf.stack([numbers[:2], numbers[:2]], axis=1) + tf.constant([[1, 2], [3, 4]], tf.int64)
    return [pairs]


ROWS = {
    "parsed": lambda files: [ids(files)],
    "records": lambda files: [tf.strings.join([strings(files), "."])],
    "keys": lambda files: [strings(files, key=True)],
    "key and record": lambda files: list(tf.TFRecordReader().read_up_to(producer(files["tfrecord"]), 4)),
    "cast and scaled": lambda files: [tf.cast(ids(files), tf.float32) / 4.0 + [0.5]],
    "columns of lines": lambda files: tf.io.decode_csv(lines(files), [[0], [0.0]]),
    "stacked columns": lambda files: [tf.stack(tf.io.decode_csv(lines(files), [[0.0], [0.0]]), axis=1)],
    "one hot": lambda files: [tf.one_hot(ids(files) % 5, 5)],
    "looked up": lambda files: [tf.gather(tf.range(1000, dtype=tf.int64) * 2, ids(files) % 1000)],
    "reshaped rows": lambda files: [tf.reshape(tf.one_hot(ids(files) % 6, 6), [-1, 2, 3])],
}
NOT_ROWS = {
    "sorted": lambda files: [tf.sort(ids(files))],
    "minus the least": lambda files: minus_the_least(ids(files)),
    "reversed": lambda files: [tf.reverse(ids(files), [0])],
    "numbered": lambda files: numbered(ids(files)),
    "two rows for a record": lambda files: [tf.reshape(tf.one_hot(ids(files) % 6, 6), [-1, 3])],
    "words of all records": with_words,
    "added to two rows": lambda files: added_to_two_rows(ids(files)),
}


def plan_and_steps(build, files, batch):
    with tf.Graph().as_default():
        fetches = batch(build(files))
        [plan] = convert().plans
        converted = run_to_end(fetches)
    with tf.Graph().as_default():
        queued = run_to_end(batch(build(files)))
    return plan, converted, queued


def batch(tensors):
    return tf.train.batch(tensors, 5, enqueue_many=True, allow_smaller_final_batch=True)


def shuffle_batch(tensors):
    return tf.train.shuffle_batch(
        tensors, 5, 40, 8, num_threads=2, enqueue_many=True, allow_smaller_final_batch=True
    )


@pytest.mark.parametrize("build", ROWS.values(), ids=list(ROWS))
def test_rows_of_records_are_put_into_batches_before_they_are_parsed(build, files):
    plan, converted, queued = plan_and_steps(build, files, batch)
    assert plan.promise == "same sequence"
    assert "unbatch()" not in plan.steps[3:] and "batch(5)" in plan.steps
    assert len(queued) == 8
    assert converted == queued


@pytest.mark.parametrize("build", [ROWS["parsed"], ROWS["key and record"]], ids=["parsed", "key and record"])
def test_rows_of_records_are_shuffled_before_they_are_parsed(build, files):
    plan, converted, queued = plan_and_steps(build, files, shuffle_batch)
    shuffle = plan.steps.index("shuffle(40)")
    assert plan.steps[shuffle + 1] == "batch(5)"
    assert plan.promise == "same set"
    assert examples(converted) == examples(queued)
    assert sum(examples(queued).values()) == 36


@pytest.mark.parametrize("build", NOT_ROWS.values(), ids=list(NOT_ROWS))
def test_what_depends_on_several_records_is_computed_from_as_many_as_before(build, files):
    plan, converted, queued = plan_and_steps(build, files, batch)
    assert plan.promise == "same sequence"
    assert any(step.startswith("flat_map") and step.endswith(".batch(4))") for step in plan.steps), plan.steps
    assert converted == queued


def test_records_are_shuffled_before_what_takes_long(files):
    def build():
        number, image = parsed(record(files["tfrecord"])[1])
        long = tf.reshape(tf.py_func(lambda value: value * 2, [image], image.dtype), image.shape)
        return tf.train.shuffle_batch([number, long], 4, 30, 8, num_threads=2, allow_smaller_final_batch=True)

    with tf.Graph().as_default():
        fetches = build()
        [plan] = convert().plans
        converted = run_to_end(fetches)
    with tf.Graph().as_default():
        queued = run_to_end(build())
    shuffle = plan.steps.index("shuffle(30)")
    assert "num_parallel_calls" in plan.steps[shuffle + 1]
    assert examples(converted) == examples(queued)


def test_random_numbers_with_a_seed_go_to_the_examples_as_they_are_read(files):
    def build():
        number, _ = parsed(record(files["tfrecord"])[1])
        noise = tf.random_uniform([], seed=5)
        return tf.train.shuffle_batch([number, noise], 4, 30, 8, allow_smaller_final_batch=True)

    with tf.Graph().as_default():
        tf.set_random_seed(1)
        fetches = build()
        plan = convert().plans[0]
        steps = run_to_end(fetches)
    assert plan.steps.index("shuffle(30)") > max(
        number for number, step in enumerate(plan.steps) if step.startswith("map(")
    )
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        number, noise = parsed(record(files["tfrecord"])[1])[0], tf.random_uniform([], seed=5)
        session.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(session)
        drawn = [tuple(session.run([number, noise])) for _ in range(36)]
    pairs = [pair for step in steps for pair in zip(*step)]
    assert sorted(number for number, _ in pairs) == sorted(number for number, _ in drawn)
    assert len(set(np.float32([noise for _, noise in pairs]).tolist())) == 36
    assert sorted(pairs) == [(number, float(noise)) for number, noise in sorted(drawn)]
