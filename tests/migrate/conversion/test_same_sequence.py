"""What queues of one thread give, the dataset gives in the same order: the queues themselves are the reference."""
import numpy as np
import pytest
from queue_inputs import parsed, producer, record, run_to_end, words

from legacy_towers.compat import tf
from legacy_towers.migrate import convert


def of_tfrecords(files):
    key, serialized = record(files["tfrecord"])
    return tf.train.batch(parsed(serialized) + [key], 4, capacity=20)


def with_a_smaller_last_batch(files):
    return tf.train.batch(parsed(record(files["tfrecord"])[1]), 4, allow_smaller_final_batch=True)


def of_files_in_a_seeded_order(files):
    return tf.train.batch(parsed(record(files["tfrecord"], shuffle=True, seed=5, num_epochs=3)[1]), 4)


def of_compressed_tfrecords(files):
    options = tf.io.TFRecordOptions(compression_type="GZIP")
    path = files["tfrecord"][0] + ".gz"
    with tf.io.TFRecordWriter(path, options) as writer:
        for number in range(5):
            writer.write(str(number).encode())
    reader = tf.TFRecordReader(options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP))
    return tf.train.batch(reader.read(producer([path])), 3)


def of_lines(files):
    key, line = tf.TextLineReader(skip_header_lines=1).read(producer(files["csv"]))
    return tf.train.batch(tf.decode_csv(line, [[0], [0.0]]) + [key], 4)


def of_records_of_a_fixed_length(files):
    reader = tf.FixedLengthRecordReader(10, header_bytes=2, footer_bytes=2)
    key, data = reader.read(producer(files["bin"]))
    return tf.train.batch([tf.reshape(tf.decode_raw(data, tf.uint8), [10]), key], 2)


def of_files_that_end_in_a_record(files):
    key, data = tf.FixedLengthRecordReader(9, header_bytes=2).read(producer(files["bin"]))
    return tf.train.batch([tf.reshape(tf.decode_raw(data, tf.uint8), [9]), key], 2)


def of_matching_files_that_end_in_a_record(files):
    pattern = tf.train.match_filenames_once(files["bin"][0].replace("0.bin", "*.bin"))
    return tf.train.batch([tf.FixedLengthRecordReader(9, footer_bytes=3).read(producer(pattern))[1]], 2)


def of_whole_files(files):
    key, data = tf.WholeFileReader().read(producer(files["image"]))
    return tf.train.batch([tf.reshape(tf.decode_raw(data, tf.uint8), [4]), key], 4)


def of_file_names(files):
    return tf.train.batch(tf.IdentityReader().read(producer(files["image"])), 4)


def of_several_records_at_once(files):
    serialized = tf.TFRecordReader().read_up_to(producer(files["tfrecord"]), 4)[1]
    ids = tf.io.parse_example(serialized, {"id": tf.io.FixedLenFeature([], tf.int64)})["id"]
    return tf.train.batch([ids], 5, enqueue_many=True, allow_smaller_final_batch=True)


def of_a_reader_without_a_queue_behind_it(files):
    key, serialized = record(files["tfrecord"])
    return [key] + parsed(serialized)


def of_padded_sequences(files):
    dense = tf.sparse.to_dense(words(record(files["tfrecord"])[1]))
    return tf.train.batch([dense], 3, dynamic_pad=True, allow_smaller_final_batch=True)


def of_sparse_tensors(files):
    return tf.sparse.to_dense(tf.train.batch([words(record(files["tfrecord"])[1])], 3))


def of_slices(files):
    name, label = tf.train.slice_input_producer([files["image"], list(range(6))], num_epochs=2, shuffle=False)
    return tf.train.batch([tf.reshape(tf.decode_raw(tf.io.read_file(name), tf.uint8), [4]), label], 4)


def of_files_that_match_a_pattern(files):
    pattern = files["tfrecord"][0].replace("0.tfrecord", "*.tfrecord")
    return tf.train.batch(parsed(record(tf.train.match_filenames_once(pattern))[1]), 4)


def with_a_reference_variable_that_keeps_its_value(files):
    number = tf.train.range_input_producer(6, num_epochs=2, shuffle=False).dequeue()
    offset = tf.get_variable("offset", [], tf.int32, initializer=tf.ones_initializer(), use_resource=False)
    return tf.train.batch([number + offset], 3)


def of_a_range(files):
    return tf.train.range_input_producer(10, num_epochs=2, shuffle=False).dequeue_many(4)


def of_an_array(files):
    return tf.train.input_producer(np.arange(12.0).reshape(6, 2), num_epochs=2, shuffle=False).dequeue()


def of_elements_with_several_examples(files):
    number = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
    examples = tf.stack([number, number * 10, number * 100])
    return tf.train.batch([examples], 4, enqueue_many=True, allow_smaller_final_batch=True)


def of_examples_that_are_kept(files):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    return tf.train.maybe_batch([number, number * 2], tf.equal(number % 3, 0), 2)


def of_parts_that_are_kept(files):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    numbers = tf.range(4) + number * 10
    return tf.train.maybe_batch([numbers], tf.equal(numbers % 3, 0), 3, enqueue_many=True)


def of_a_queue_of_the_user(files):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    queue = tf.FIFOQueue(10, [tf.int32, tf.float32], [[], []])
    enqueue = queue.enqueue([number, tf.cast(number, tf.float32) / 2.0])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    return queue.dequeue_many(3)


def with_control_flow(files):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    total = tf.while_loop(lambda step, total: step < 3, lambda step, total: (step + 1, total + number), [0, 0])[1]
    chosen = tf.cond(number > 5, lambda: number * 2, lambda: number)
    return tf.train.batch([number, total, chosen], 4)


def with_a_table(files):
    number = tf.train.range_input_producer(6, num_epochs=2, shuffle=False).dequeue()
    keys = tf.constant([0, 1, 2], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, tf.constant(["a", "b", "c"])), "?")
    return tf.train.batch([table.lookup(tf.cast(number, tf.int64)), number], 3)


def with_a_function_of_python(files):
    number = tf.train.range_input_producer(6, num_epochs=2, shuffle=False).dequeue()
    half = tf.py_func(lambda value: np.float32(value / 2), [number], tf.float32)
    half.set_shape([])
    return tf.train.batch([half, number], 3)


def with_seeded_random_numbers(files):
    number = tf.train.range_input_producer(6, num_epochs=2, shuffle=False).dequeue()
    return tf.train.batch([number, tf.random_uniform([2], seed=4)], 3)


def with_a_resource_variable(files):
    number = tf.train.range_input_producer(6, num_epochs=2, shuffle=False).dequeue()
    offset = tf.get_variable("offset", [], tf.int32, initializer=tf.ones_initializer(), use_resource=True)
    return tf.train.batch([number + offset], 3)


INPUTS = [
    of_tfrecords, with_a_smaller_last_batch, of_files_in_a_seeded_order, of_compressed_tfrecords, of_lines,
    of_records_of_a_fixed_length, of_files_that_end_in_a_record, of_matching_files_that_end_in_a_record, of_whole_files,
    of_file_names, of_several_records_at_once, of_a_reader_without_a_queue_behind_it, of_padded_sequences,
    of_sparse_tensors, of_slices, of_a_range, of_an_array, of_elements_with_several_examples, of_examples_that_are_kept,
    of_parts_that_are_kept, of_a_queue_of_the_user, of_files_that_match_a_pattern,
    with_a_reference_variable_that_keeps_its_value, with_control_flow, with_a_table, with_a_function_of_python,
    with_seeded_random_numbers, with_a_resource_variable,
]


@pytest.mark.parametrize("build", INPUTS, ids=lambda build: build.__name__)
def test_the_dataset_gives_the_sequence_of_the_queue(build, files):
    with tf.Graph().as_default():
        fetches = build(files)
        shapes = [each.shape.as_list() for each in tf.nest.flatten(fetches)]
        conversion = convert()
        [plan] = conversion.plans
        assert (plan.promise, plan.reason) == ("same sequence", "")
        assert [each.shape.as_list() for each in tf.nest.flatten(fetches)] == shapes
        converted = run_to_end(fetches)
    with tf.Graph().as_default():
        queued = run_to_end(build(files))
    assert len(queued) > 2
    assert converted == queued


def test_examples_and_epochs_are_those_of_the_files(files):
    with tf.Graph().as_default():
        ids = of_tfrecords(files)[0]
        convert()
        steps = run_to_end(ids)
    written = [100 * number + each for number in range(3) for each in range(5 + number)]
    assert sum((step[0] for step in steps), []) == written * 2


def test_several_reads_of_a_queue_in_a_step_take_different_examples(files):
    def towers():
        queue = tf.train.range_input_producer(12, num_epochs=1, shuffle=False)
        return [queue.dequeue() for _ in range(3)]

    with tf.Graph().as_default():
        fetches = towers()
        [plan] = convert().plans
        assert (plan.promise, plan.reason) == ("same set", "3 operations read from it in a step")
        steps = run_to_end(fetches)
    assert [sorted(step) for step in steps] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]


def test_variables_whose_initial_values_are_fed_are_read_when_queue_runners_start(files):
    with tf.Graph().as_default() as graph:
        examples = tf.placeholder(tf.float32, [6, 2])
        variable = tf.Variable(examples, trainable=False, collections=[], use_resource=False)
        row, number = tf.train.slice_input_producer([variable, tf.range(6)], num_epochs=1, shuffle=False)
        batch = tf.train.batch([row, number], 3)
        assert [plan.promise for plan in convert().plans] == ["same sequence"]
        assert graph.get_collection(tf.GraphKeys.TABLE_INITIALIZERS) == []
        with tf.Session() as session:
            session.run([tf.local_variables_initializer(), tf.tables_initializer()])
            values = np.arange(12, dtype=np.float32).reshape(6, 2)
            session.run(variable.initializer, {examples: values})
            tf.train.start_queue_runners(session, tf.train.Coordinator())
            for start in (0, 3):
                rows, numbers = session.run(batch)
                np.testing.assert_array_equal(rows, values[start:start + 3])
                assert numbers.tolist() == list(range(start, start + 3))


def test_reads_in_an_order_by_control_inputs_stay_in_it(files):
    with tf.Graph().as_default():
        queue = tf.train.range_input_producer(60, num_epochs=1, shuffle=False)
        counter = tf.get_variable("counter", [], tf.int32, initializer=tf.zeros_initializer(), use_resource=True)
        reads = []
        with tf.control_dependencies([counter.assign_add(1)]):
            for _ in range(3):
                with tf.control_dependencies(reads[-1:]):
                    reads.append(queue.dequeue())
        assert [plan.promise for plan in convert().plans] == ["same sequence"]
        with tf.Session() as session:
            session.run(counter.initializer)
            for step in range(20):
                assert session.run(reads) == [3 * step, 3 * step + 1, 3 * step + 2]
            assert session.run(counter) == 20


def test_a_queue_in_a_branch_is_read_only_where_the_branch_is_taken(files):
    with tf.Graph().as_default():
        training = tf.train.range_input_producer(6, num_epochs=2, shuffle=False)
        validation = tf.train.input_producer(tf.constant([100, 101]), num_epochs=2, shuffle=False)
        is_training = tf.placeholder_with_default(True, [])
        number = tf.cond(is_training, training.dequeue, validation.dequeue)
        assert [plan.promise for plan in convert().plans] == ["same sequence"] * 2
        with tf.Session() as session:
            feeds = [True, True, False, True, False, True]
            read = [int(session.run(number, {is_training: feed})) for feed in feeds]
    assert read == [0, 1, 100, 2, 101, 3]
