"""tf.contrib.training.batch_sequences_with_states; on TensorFlow 1.15 the tests check TensorFlow's own function."""
import numpy as np
import pytest
from tf1_cases import recorded_cases

from legacy_towers.compat import tf

training = tf.contrib.training
LENGTHS = [3, 5, 2, 4]
STEPS = {length: np.arange(1, 2 * length + 1, dtype=np.float32).reshape(length, 2) * length for length in LENGTHS}


def _batch(**options):
    length = tf.train.input_producer(tf.constant(LENGTHS, tf.int32), num_epochs=1, shuffle=False).dequeue()
    steps = tf.cast(tf.reshape(tf.range(1, 2 * length + 1), tf.stack([length, 2])) * length, tf.float32)
    steps.set_shape([None, 2])
    words = tf.fill(tf.stack([length, 1]), "w")
    words.set_shape([None, 1])
    return training.batch_sequences_with_states(
        input_key=tf.as_string(length),
        input_sequences={"steps": steps, "words": words},
        input_context={"length": tf.stack([length])},
        input_length=length,
        initial_states={"sum": tf.zeros([2]), "segments": tf.constant(0)},
        num_unroll=2,
        batch_size=2,
        num_threads=1,
        **options
    )


def _run_all(fetches, init_ops=()):
    """Returns the values of `fetches` in each run until the input ends."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(list(init_ops))
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for thread in threads:  # a batch that is requested before the input has ended is never a small one
            if not thread.name.endswith("close_on_stop"):
                thread.join(120)
        rows = []
        try:
            while True:
                rows.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=60)
    return rows


def test_save_state_passes_states_to_the_next_segment():
    batch = _batch()
    total = batch.state("sum") + tf.reduce_sum(batch.sequences["steps"], axis=1)
    saves = [batch.save_state("sum", total), batch.save_state("segments", batch.state("segments") + 1)]
    with tf.control_dependencies(saves):
        fetches = {
            "total": tf.identity(total), "key": batch.key, "next": batch.next_key, "length": batch.length,
            "total_length": batch.total_length, "context": batch.context["length"], "state": batch.state("segments"),
            "sequence": batch.sequence, "count": batch.sequence_count, "words": batch.sequences["words"],
            "size": batch.batch_size,
        }  # fmt: skip
    segments = {}
    for row in _run_all(fetches):
        assert row["size"] == len(row["key"]) <= 2
        for i in range(row["size"]):
            segment = {name: value[i] for name, value in row.items() if name != "size"}
            segments[segment["key"].decode()] = segment
    counts = {length: -(-length // 2) for length in LENGTHS}
    keys = {(n, i): "{:05d}_of_{:05d}:{}".format(i, counts[n], n) for n in LENGTHS for i in range(counts[n])}
    assert sorted(segments) == sorted(keys.values())
    for (length, index), key in keys.items():
        segment = segments[key]
        assert segment["next"].decode() == keys.get((length, index + 1), "STOP:{}".format(length))
        assert (segment["sequence"], segment["count"], segment["state"]) == (index, counts[length], index)
        assert (segment["total_length"], segment["context"].tolist()) == (length, [length])
        assert segment["length"] == min(2, length - 2 * index)
        assert segment["words"][:, 0].tolist() == [b"w"] * segment["length"] + [b""] * (2 - segment["length"])
        np.testing.assert_allclose(segment["total"], STEPS[length][: 2 * index + 2].sum(0))


@pytest.mark.needs_layers
def test_static_state_saving_rnn_over_segments_equals_whole_sequences():
    batch = _batch()
    cell = tf.nn.rnn_cell.BasicRNNCell(2)
    inputs = tf.unstack(0.01 * batch.sequences["steps"], axis=1)
    outputs, _ = tf.nn.static_state_saving_rnn(cell, inputs, batch, "sum", sequence_length=batch.length)
    saved = batch.save_state("segments", batch.state("segments"))
    (kernel,) = [variable for variable in tf.global_variables() if "kernel" in variable.name]
    values = recorded_cases.values(kernel.shape.as_list(), "kernel")
    init_ops = [tf.assign(kernel, values)]
    with tf.control_dependencies([saved]):
        fetches = [tf.identity(batch.key), batch.length, tf.stack(outputs, axis=1)]
    segments = {}
    for keys, lengths, states in _run_all(fetches, init_ops):
        for key, length, state in zip(keys, lengths, states):
            segments[key.decode()] = state[:length]
    for length in LENGTHS:
        actual = np.concatenate([segments[key] for key in sorted(segments) if key.endswith(":{}".format(length))])
        state, expected = np.zeros(2), []
        for step in STEPS[length]:
            state = np.tanh(np.concatenate([0.01 * step, state]).dot(values))
            expected.append(state)
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "change, error",
    [
        ({"initial_states": {}}, ValueError),
        ({"initial_states": {"a:b": tf.zeros}}, ValueError),
        ({"capacity": 1}, ValueError),
        ({"input_length": 2.0}, TypeError),
    ],
)
def test_state_saver_rejects_invalid_arguments(change, error):
    arguments = dict(
        batch_size=2, num_unroll=2, input_length=2, input_key="a", input_sequences={"x": tf.zeros([2])},
        input_context={}, initial_states={"s": tf.zeros([1])},
    )  # fmt: skip
    with pytest.raises(error):
        training.SequenceQueueingStateSaver(**dict(arguments, **change))
