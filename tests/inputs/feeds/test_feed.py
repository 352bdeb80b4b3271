"""`lt.inputs.feed`: copies, values of the right step, and incomplete last steps."""
import numpy as np
import pytest
from diagonals import diagonals

STEPS = 12


def config(towers=2):
    from legacy_towers.compat import tf

    return tf.ConfigProto(device_count={"CPU": towers})


def keeper(kind, name, tensor):
    """Returns (op that stores a tower's tensor, function from a session to the values stored in the last steps)."""
    from tensorflow.python.ops.data_flow_ops import StagingArea

    from legacy_towers.compat import tf

    if kind == "direct":
        seen = tf.Variable(tf.zeros([2], tf.float64), collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=True)
        tensor = tf.cast(tensor, tf.float64)  # another dtype needs new memory
        put = seen.assign([tf.reduce_min(tensor), tf.reduce_max(tensor)])
        return put.op, lambda session: [session.run(seen)]
    if kind == "queue":
        queue = tf.FIFOQueue(STEPS, [tensor.dtype], [tensor.shape])
        get, size = queue.dequeue(), queue.size()
        return queue.enqueue(tensor), lambda session: [session.run(get) for _ in range(session.run(size))]
    if kind == "assign":
        variable = tf.Variable(
            tf.zeros(tensor.shape), collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=True, name=name
        )
        value = variable.read_value()
        return variable.assign(tensor).op, lambda session: [session.run(value)]
    part = tensor if kind == "stage" else tf.split(tensor, 2)[1]
    with tf.device("/cpu:0"):
        area = StagingArea([tensor.dtype], [part.shape])
        put, get, size = area.put([part]), area.get(), area.size()
    return put, lambda session: [session.run(get) for _ in range(session.run(size))]


def by_user_array(aligned, background):
    """Returns the pipeline of a caller that reuses one array."""
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def batches():
        whole = inputs.aligned_empty([64, 32], np.float32) if aligned else np.empty([64 * 32 + 1], np.float32)[1:]
        whole = whole.reshape([64, 32])
        for step in range(STEPS):
            whole[:] = step
            yield {"x": whole}
            whole[:] = -1

    placeholders = inputs.tower_placeholders({"x": tf.TensorSpec([32, 32], tf.float32)}, 2)
    return inputs.from_placeholders(placeholders, batches, background=background)


def by_examples(background):
    """Returns the pipeline over examples, each of which contains the number of its step."""
    from legacy_towers import inputs
    from legacy_towers.data import Examples

    # Every other row of an array, so that each batch has to be copied.
    rows = np.repeat(np.arange(STEPS, dtype=np.float32), 128).reshape(-1, 1) * np.ones(32, np.float32)
    return inputs.feed(
        Examples.from_arrays({"x": rows[::2]}), global_batch_size=64, epochs=1, order="fixed", background=background
    )


SOURCES = {
    "aligned array": lambda: by_user_array(True, False),
    "other array": lambda: by_user_array(False, False),
    "aligned array, background": lambda: by_user_array(True, True),
    "other array, background": lambda: by_user_array(False, True),
    "examples": lambda: by_examples(False),
    "examples, background": lambda: by_examples(True),
}


@pytest.mark.parametrize(
    "source, kind", diagonals(2, SOURCES, ["direct", "queue", "stage", "assign", "split and stage"])
)
def test_retained_values_are_those_of_their_step(source, kind):
    """Stored values are read after four steps, when memory that was reused has been overwritten."""
    from legacy_towers.compat import tf

    batches = SOURCES[source]().build(["/cpu:0", "/cpu:1"])
    (hook,) = batches.hooks
    kept = [keeper(kind, "tower_{}".format(k), tower["x"]) for k, tower in enumerate(batches.per_tower)]
    puts = [put for put, _ in kept]
    seen = [[], []]
    with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config()) as session:
        for step in range(STEPS):
            session.run(puts)
            if kind in ("direct", "assign") or step % 4 == 3:
                for tower, (_, get) in enumerate(kept):
                    seen[tower] += [np.asarray(value) for value in get(session)]
    for tower in range(2):
        assert len(seen[tower]) == STEPS
        for step, value in enumerate(seen[tower]):
            np.testing.assert_array_equal(value, np.full(value.shape, step), "tower {}, step {}".format(tower, step))
    kept_past_the_run = kind != "direct"
    assert (hook.retaining_op is not None) == kept_past_the_run
    total = STEPS * 64 * 32 * 4
    if source == "aligned array":
        assert hook.copied_bytes == (total if kept_past_the_run else 0)
    if source.startswith("other array"):
        assert hook.copied_bytes == total
    assert hook.fed_bytes >= total


def drive(batches, fetches, towers=2):
    from legacy_towers.compat import tf

    seen = []
    with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config(towers)) as session:
        while not session.should_stop():
            seen.append(session.run(fetches))
    return seen


@pytest.mark.parametrize("background", [False, True], ids=["foreground", "background"])
def test_feed_reuses_memory(background):
    from legacy_towers.compat import tf

    batches = by_examples(background).build(["/cpu:0", "/cpu:1"])
    (hook,) = batches.hooks
    sums = [tf.reduce_sum(tower["x"]) for tower in batches.per_tower]
    for _ in range(3):
        assert [float(step[0]) for step in drive(batches, sums)] == [32 * 32 * step for step in range(STEPS)]
    assert hook.blocks_made <= (5 if background else 2)
    assert hook.copied_bytes == hook.fed_bytes == 3 * STEPS * 64 * 32 * 4
    assert 0 < hook.waited_seconds < 60


@pytest.mark.parametrize("kind", ["arrays", "parsed"])
def test_shuffled_rows_are_copied_once(kind):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    rows = np.arange(96 * 20, dtype=np.float32).reshape(96, 20)
    examples = Examples.from_arrays(rows)
    examples = examples if kind == "arrays" else examples.map(lambda row: row + 0)
    batches = inputs.feed(examples, per_tower_batch_size=6, epochs=2).build(["/cpu:0", "/cpu:1"])
    seen = drive(batches, [tf.identity(tower) for tower in batches.per_tower])
    got = np.concatenate([tower for step in seen for tower in step])
    np.testing.assert_array_equal(got[np.argsort(got[:, 0])], np.repeat(rows, 2, axis=0))
    (hook,) = batches.hooks
    assert hook.fed_bytes == 2 * rows.nbytes
    assert hook.blocks_made <= 2
    if kind == "arrays":  # values from a session are nearly always aligned; TF 1.15 returns some in unaligned memory
        assert hook.copied_bytes == 0


def test_aligned_rows_in_order_are_not_copied():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    rows = inputs.aligned_empty([96, 16], np.float32)
    rows[:] = np.arange(96 * 16).reshape(96, 16)
    batches = inputs.feed(Examples.from_arrays(rows), per_tower_batch_size=8, epochs=1, order="fixed").build(
        ["/cpu:0", "/cpu:1"]
    )
    (hook,) = batches.hooks
    fed = []
    keep = hook.before_run

    class Watch(tf.train.SessionRunHook):
        def before_run(self, run_context):
            asked = keep(run_context)
            fed.extend(asked.feed_dict.values())
            return asked

        after_create_session = staticmethod(hook.after_create_session)

    seen = drive(batches._replace(hooks=[Watch()]), [tf.identity(tower) for tower in batches.per_tower])
    np.testing.assert_array_equal(np.concatenate([tower for step in seen for tower in step]), rows)
    assert len(fed) == 12 and all(np.shares_memory(array, rows) for array in fed)
    assert (hook.blocks_made, hook.copied_bytes, hook.fed_bytes) == (0, 0, rows.nbytes)


def test_memory_of_a_failed_run_is_not_reused():
    from legacy_towers.compat import tf

    made = by_user_array(False, False).build(["/cpu:0", "/cpu:1"])
    (hook,) = made.hooks
    fetch = tf.reduce_max(made.per_tower[0]["x"])
    # Step 1 fails.
    with tf.control_dependencies([tf.Assert(tf.not_equal(fetch, 1.0), [fetch])]):
        fetch = tf.identity(fetch)
    with tf.Session(config=config()) as session:
        hook.after_create_session(session, None)
        seen = []
        for _ in range(4):
            context = tf.train.SessionRunContext(tf.train.SessionRunArgs(fetch), session)
            fed = hook.before_run(context).feed_dict
            try:
                seen.append(float(session.run(fetch, fed)))
            except tf.errors.InvalidArgumentError:
                continue
            hook.after_run(context, None)
        assert seen == [0, 2, 3]
        hook.end(session)


REMAINDERS = [
    # remainder, 7 examples on 3 towers of 2: the towers' batches in the second step, and the counts
    ("short", [[6], [6], [6]], [1, 0, 0]),
    ("pad", [[6, 6], [6, 6], [6, 6]], [1, 0, 0]),
    ("drop", None, None),
]


@pytest.mark.parametrize("background", [False, True], ids=["foreground", "background"])
@pytest.mark.parametrize("kind", ["arrays", "parsed"])
@pytest.mark.parametrize("remainder, last, counts", REMAINDERS, ids=[case[0] for case in REMAINDERS])
def test_remainder_of_an_incomplete_last_step(remainder, last, counts, kind, background):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    examples = Examples.from_arrays({"id": np.arange(7), "text": np.array(list("abcdefg"))})
    if kind == "parsed":
        examples = examples.map(lambda example: dict(example, id=example["id"] + 0))
    pipeline = inputs.feed(
        examples, per_tower_batch_size=2, epochs=1, order="fixed", remainder=remainder, background=background
    )
    batches = pipeline.build(["/cpu:0", "/cpu:1", "/cpu:2"])
    assert batches.padded == (remainder == "pad")
    assert batches.per_tower[0]["id"].shape.as_list() == [None if remainder == "short" else 2]
    fetches = {
        "id": [tf.identity(tower["id"]) for tower in batches.per_tower],
        "text": [tf.identity(tower["text"]) for tower in batches.per_tower],
    }
    if counts is None:
        assert batches.counts is None
    else:
        fetches["counts"] = [tf.identity(count) for count in batches.counts]
        assert [(count.name, count.dtype) for count in batches.counts] == [
            ("tower_{}/input/count:0".format(tower), tf.int32) for tower in range(3)
        ]
    seen = drive(batches, fetches, towers=3)
    ids = [[tower.tolist() for tower in step["id"]] for step in seen]
    assert ids == [[[0, 1], [2, 3], [4, 5]]] + ([last] if last else [])
    for step in seen:
        for numbers, texts in zip(step["id"], step["text"]):
            assert texts.tolist() == [b"abcdefg"[number:number + 1] for number in numbers]
    if counts is not None:
        assert [[int(count) for count in step["counts"]] for step in seen] == [[2, 2, 2], counts]


@pytest.mark.parametrize("remainder", ["short", "pad"])
@pytest.mark.parametrize("kind", ["arrays", "parsed"])
def test_remainder_of_a_full_last_step(remainder, kind):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    examples = Examples.from_arrays(np.arange(12))
    examples = examples if kind == "arrays" else examples.map(lambda number: number + 0)
    batches = inputs.feed(examples, per_tower_batch_size=2, epochs=2, remainder=remainder).build(["/cpu:0"] * 3)
    seen = drive(batches, [tf.stack(batches.per_tower), tf.stack(batches.counts)])
    assert [step[1].tolist() for step in seen] == [[2, 2, 2]] * 4
    assert sorted(np.concatenate([step[0].ravel() for step in seen])) == sorted(list(range(12)) * 2)


def test_dicts_are_matched_by_key_not_by_order():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    arrays = {"z": np.arange(8), "a": -np.arange(8), "m": {"y": np.arange(8) * 2, "b": np.arange(8) * 3}}
    for examples in (Examples.from_arrays(arrays), Examples.from_arrays(arrays).map(lambda example: dict(example))):
        batches = inputs.feed(examples, per_tower_batch_size=2, epochs=1, order="fixed").build(["/cpu:0", "/cpu:1"])
        tower = batches.per_tower[1]
        fetches = [tf.identity(leaf) for leaf in (tower["z"], tower["a"], tower["m"]["y"], tower["m"]["b"])]
        z, a, y, b = drive(batches, fetches)[1]
        assert (z.tolist(), a.tolist(), y.tolist(), b.tolist()) == ([6, 7], [-6, -7], [12, 14], [18, 21])


BAD = [
    (dict(prefetch=2), "prefetch=2 needs a background thread: pass background=True too"),
    (dict(prefetch=0, background=True), "prefetch must be a whole number of at least 1, got 0"),
    (dict(remainder="some"), 'remainder must be "drop", "pad" or "short", got \'some\''),
]


@pytest.mark.parametrize("options, message", BAD, ids=[message[:30] for _, message in BAD])
def test_options_that_contradict_each_other(options, message):
    from legacy_towers import inputs
    from legacy_towers.data import Examples
    from legacy_towers.errors import ArgumentError

    with pytest.raises(ArgumentError) as raised:
        inputs.feed(Examples.from_arrays(np.arange(8)), per_tower_batch_size=2, **options)
    assert message in str(raised.value)


def test_the_plan_describes_buffers_and_prefetch():
    from legacy_towers import inputs
    from legacy_towers.data import Examples

    examples = Examples.from_arrays(np.arange(8), shuffle=False)
    pipeline = inputs.feed(examples, per_tower_batch_size=2, background=True, prefetch=3, epochs=1, remainder="short")
    plan = str(pipeline.build(["/cpu:0", "/cpu:1"]).plan)
    assert plan.startswith("feed:background, order any, 2 examples per tower, 4 per step, 1 epoch of 8 examples")
    assert "buffers: aligned" in plan and "prefetch: 3 steps by a thread" in plan and "is short" in plan
