"""tf.contrib.training.batch_sequences_with_states: the same tests run on TensorFlow 1.15's own."""
import numpy as np
import pytest
from oldtf import recorded_cases

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


def _taken(fetches, begin=()):
    """Returns what each run gives until there is nothing more."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(list(begin))
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for thread in threads:  # a batch that is asked for before the input ended is never a small one
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


def test_states_go_from_segment_to_segment():
    batch = _batch()
    total = batch.state("sum") + tf.reduce_sum(batch.sequences["steps"], axis=1)
    saves = [batch.save_state("sum", total), batch.save_state("segments", batch.state("segments") + 1)]
    with tf.control_dependencies(saves):
        fetches = {
            "total": tf.identity(total), "key": batch.key, "next": batch.next_key, "length": batch.length,
            "whole": batch.total_length, "context": batch.context["length"], "before": batch.state("segments"),
            "sequence": batch.sequence, "count": batch.sequence_count, "words": batch.sequences["words"],
            "size": batch.batch_size,
        }  # fmt: skip
    rows = _taken(fetches)
    seen = {}
    for row in rows:
        assert row["size"] == len(row["key"]) <= 2
        for each in range(row["size"]):
            found = {name: value[each] for name, value in row.items() if name != "size"}
            seen[found["key"].decode()] = found
    segments = {length: -(-length // 2) for length in LENGTHS}
    keys = {(n, i): "{:05d}_of_{:05d}:{}".format(i, segments[n], n) for n in LENGTHS for i in range(segments[n])}
    assert sorted(seen) == sorted(keys.values())
    for (length, place), key in keys.items():
        found = seen[key]
        assert found["next"].decode() == keys.get((length, place + 1), "STOP:{}".format(length))
        assert (found["sequence"], found["count"], found["before"]) == (place, segments[length], place)
        assert (found["whole"], found["context"].tolist()) == (length, [length])
        assert found["length"] == min(2, length - 2 * place)
        assert found["words"][:, 0].tolist() == [b"w"] * found["length"] + [b""] * (2 - found["length"])
        np.testing.assert_allclose(found["total"], STEPS[length][: 2 * place + 2].sum(0))


@pytest.mark.needs_layers
def test_a_recurrent_net_goes_on_where_it_was():
    """Over segments the net gives what it gives over whole sequences."""
    batch = _batch()
    cell = tf.nn.rnn_cell.BasicRNNCell(2)
    inputs = tf.unstack(0.01 * batch.sequences["steps"], axis=1)
    outputs, _ = tf.nn.static_state_saving_rnn(cell, inputs, batch, "sum", sequence_length=batch.length)
    saved = batch.save_state("segments", batch.state("segments"))
    (kernel,) = [variable for variable in tf.global_variables() if "kernel" in variable.name]
    values = recorded_cases.values(kernel.shape.as_list(), "kernel")
    begin = [tf.assign(kernel, values)]
    with tf.control_dependencies([saved]):
        fetches = [tf.identity(batch.key), batch.length, tf.stack(outputs, axis=1)]
    found = {}
    for keys, lengths, states in _taken(fetches, begin):
        for key, length, state in zip(keys, lengths, states):
            found[key.decode()] = state[:length]
    for length in LENGTHS:
        got = np.concatenate([found[key] for key in sorted(found) if key.endswith(":{}".format(length))])
        state, expected = np.zeros(2), []
        for step in STEPS[length]:
            state = np.tanh(np.concatenate([0.01 * step, state]).dot(values))
            expected.append(state)
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "change, error",
    [
        ({"initial_states": {}}, ValueError),
        ({"initial_states": {"a:b": tf.zeros}}, ValueError),
        ({"capacity": 1}, ValueError),
        ({"input_length": 2.0}, TypeError),
    ],
)
def test_what_cannot_be_is_refused(change, error):
    given = dict(
        batch_size=2, num_unroll=2, input_length=2, input_key="a", input_sequences={"x": tf.zeros([2])},
        input_context={}, initial_states={"s": tf.zeros([1])},
    )  # fmt: skip
    with pytest.raises(error):
        training.SequenceQueueingStateSaver(**dict(given, **change))
