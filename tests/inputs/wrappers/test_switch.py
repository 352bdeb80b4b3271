"""`lt.inputs.switch`: training and validation in one graph do not change each other's position in the data."""
import threading

import numpy as np
import pytest
import waiting

# A step is two towers of two: training ids count from 0 on, validation ids from 1000 on.
DEVICES = ["/cpu:0", "/cpu:1"]
TRAIN_STEPS, VALIDATION_STEPS = 30, 3
PIPELINES = ["feed", "feed:background", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded",
        "dataset:per_device", "from_placeholders", "from_dataset", "from_tensors"]
PAIRS = (
    [(pipeline, pipeline) for pipeline in PIPELINES]
    + [("feed", "dataset:split"), ("queue", "feed:background"), ("staged+dataset:sharded", "queue"),
       ("from_tensors", "staged+feed"), ("staged+from_placeholders", "dataset:next_per_tower")]
)
BY_ITERATOR = ["dataset:split", "dataset:next_per_tower", "dataset:sharded", "from_dataset"]
STAGED = [("staged+" + pipeline, "staged+" + pipeline) for pipeline in PIPELINES]


def ids(first, steps):
    return np.arange(first, first + 4 * steps).reshape(steps, 2, 2).tolist()


@pytest.fixture
def make_numbered():
    """Returns a function from a pipeline's name, the first id, steps and epochs to the pipeline."""
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.inputs.named import make_pipeline

    def make(name, first, steps, epochs=1):
        staged, _, base = name.rpartition("+")
        numbers = np.arange(first, first + 4 * steps)
        if base == "from_placeholders":
            placeholders = lt.tower_placeholders({"id": tf.TensorSpec([2], tf.int64)}, 2)
            rows = [{"id": row} for row in numbers.reshape(steps, 4)]
            made = lt.inputs.from_placeholders(placeholders, lambda: iter(rows * epochs))
        elif base in ("from_dataset", "from_tensors"):
            batches = tf.data.Dataset.from_tensor_slices({"id": numbers}).repeat(epochs).batch(4, drop_remainder=True)
            if base == "from_dataset":
                made = lt.inputs.from_dataset(batches)
            else:
                made = lt.inputs.from_tensors(global_batch=tf.data.make_one_shot_iterator(batches).get_next())
        else:
            examples = lt.Examples.from_arrays({"id": numbers})
            made = make_pipeline(base, examples, per_tower_batch_size=2, epochs=epochs, order="fixed")
        return lt.inputs.staged(made) if staged else made

    return make


@pytest.fixture
def built(make_numbered):
    """Returns a function that makes a switch of two pipelines: (switch, batches, each tower's ids as a fetch)."""
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def build(train, validation, by="placeholder", epochs=1):
        source = inputs.switch(
            make_numbered(train, 0, TRAIN_STEPS), make_numbered(validation, 1000, VALIDATION_STEPS, epochs), by=by
        )
        batches = source.build(DEVICES)
        return source, batches, [tf.identity(tower["id"]) for tower in batches.per_tower]

    return build


def session_for(batches):
    from legacy_towers.compat import tf

    return tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=tf.ConfigProto(device_count={"CPU": 2}))


def run_to_the_end(session, source, towers, validate, restarts, trained, passes):
    """Validates after 2, 4, 6, ... training steps; adds the towers' ids in training, and in each pass."""
    from legacy_towers.compat import tf

    while not session.should_stop():
        for _ in range(2 + 2 * len(passes)):
            trained.append(np.array(session.run(towers)).tolist())
        passes.append([])
        for _ in range(VALIDATION_STEPS):
            passes[-1].append(np.array(validate()).tolist())
        if restarts:
            with pytest.raises(tf.errors.OutOfRangeError):
                validate()
            source.restart_validation()


@pytest.mark.parametrize(
    "train, validation",
    PAIRS + [pytest.param(*pair, marks=pytest.mark.slow) for pair in STAGED],
    ids=["-".join(pair) for pair in PAIRS + STAGED],
)
def test_switch_keeps_the_position_in_the_training_data(train, validation, built):
    restarts = validation.rpartition("+")[2] not in ("queue", "from_tensors")
    threads = threading.enumerate()
    source, batches, towers = built(train, validation, epochs=1 if restarts else 20)
    trained, passes = [], []
    with session_for(batches) as session:
        run_to_the_end(
            session, source, towers, lambda: session.run(towers, {source.is_validating: True}), restarts, trained,
            passes,
        )
    assert trained == ids(0, TRAIN_STEPS)
    # After 2, 6, 12, 20 and 30 steps.
    assert passes == [ids(1000, VALIDATION_STEPS)] * 5
    assert waiting.threads_since(threads) == []


@pytest.mark.parametrize("pipeline", BY_ITERATOR)
def test_switch_by_iterator(pipeline, built):
    source, batches, towers = built(pipeline, pipeline, by="iterator")
    assert set(each.type for each in batches.input_ops) == {"IteratorGetNext"}
    trained, passes = [], []
    with session_for(batches) as session:
        run_to_the_end(
            session, source, towers, lambda: session.run(towers, {source.is_validating: True}), True, trained, passes
        )
    assert trained == ids(0, TRAIN_STEPS)
    assert passes == [ids(1000, VALIDATION_STEPS)] * 5


@pytest.mark.parametrize("pair, message", [
    (("feed", "dataset:split"), "train is something else"),
    (("dataset:per_device", "dataset:per_device"), 'not their route "per_device"'),
    (("dataset:split", "dataset:sharded"), "the same route for both, but train has 'split' and validation 'sharded'"),
], ids=["feed", "per_device", "routes"])
def test_switch_by_iterator_needs_datasets(pair, message, built):
    from legacy_towers.errors import ArgumentError

    with pytest.raises(ArgumentError, match=message):
        built(*pair, by="iterator")


@pytest.mark.parametrize("pipeline", ["feed", "queue", "staged+dataset:split", "dataset:sharded"])
def test_validate_in_a_plain_session(pipeline, make_numbered):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    source = lt.inputs.switch(
        make_numbered(pipeline, 0, TRAIN_STEPS), make_numbered(pipeline, 1000, VALIDATION_STEPS, epochs=9)
    )

    def model(batch, mode):
        weight = tf.get_variable("w", [], tf.float64, tf.ones_initializer())
        sign = tf.where(source.is_validating, -1.0, 1.0)
        return lt.TowerOutput(
            loss=tf.reduce_mean(weight * tf.cast(batch["id"], tf.float64)) * tf.cast(sign, tf.float64),
            predictions=batch["id"],
        )

    step = lt.build_train_step(model, source, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(2))
    towers = [tf.identity(tower.output.predictions) for tower in step.towers]
    trained, validated, losses = [], [], []
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        with pytest.raises(lt.errors.ArgumentError, match="there is no current session"):
            source.validate(step.loss)
        with step.running(session) as run:
            for _ in range(4):
                for _ in range(3):
                    trained.append(np.array(run(towers)).tolist())
                loss, got = source.validate([step.loss, towers])
                losses.append(loss)
                validated.append(np.array(got).tolist())
            assert session.run(step.global_step) == 12
    assert trained == ids(0, 12)
    assert validated == (ids(1000, VALIDATION_STEPS) * 2)[:4]
    assert losses == [-np.mean(batch) for batch in validated]


def test_is_validating_without_hooks(built):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    source, batches, towers = built("dataset:split", "dataset:next_per_tower")
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        batches.hooks[0].after_create_session(session, None)
        assert np.array(session.run(towers, {"is_validating:0": True})).tolist() == ids(1000, 1)[0]
        assert np.array(session.run(towers)).tolist() == ids(0, 1)[0]
        assert np.array(session.run(towers, {source.is_validating: np.bool_(False)})).tolist() == ids(4, 1)[0]


@pytest.mark.parametrize("by", ["placeholder", "iterator"])
def test_validation_batches_of_another_size(by):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def batches_of(rows):
        ragged = by == "placeholder"
        dataset = tf.data.Dataset.from_tensor_slices(np.arange(rows * 8).reshape(-1, 4))
        return inputs.from_dataset(dataset.batch(rows * 2, drop_remainder=True).map(lambda number: {
            "words": tf.sparse.from_dense(number % 3),
            "rows": tf.RaggedTensor.from_tensor(number, padding=3) if ragged else number,
            "name": tf.strings.as_string(number),
        }))

    source = inputs.switch(batches_of(2), batches_of(3), by=by)
    batches = source.build(DEVICES)
    plain = shapes_of(batches_of(2).build(DEVICES))
    assert shapes_of(batches) == {name: [None] + shape[1:] for name, shape in plain.items()}
    for tower in range(2):
        for tensor in tf.nest.flatten(batches.per_tower[tower], expand_composites=True):
            assert tensor.device.upper().endswith("CPU:{}".format(tower))
            assert tensor.name.startswith("tower_{}/".format(tower))
    names = [tf.identity(tower["name"]) for tower in batches.per_tower]
    dense = [tf.sparse.to_dense(tower["words"]) for tower in batches.per_tower]
    rows = [tower["rows"].to_tensor(3) if by == "placeholder" else tower["rows"] for tower in batches.per_tower]
    with session_for(batches) as session:
        for feed, size in (({source.is_validating: True}, 3), ({}, 2)):
            got = session.run([names, dense, rows], feed)
            whole = np.arange(size * 8).reshape(2, size, 4)
            assert np.array(got[0]).astype(int).tolist() == whole.tolist()
            assert np.array(got[1]).tolist() == (whole % 3).tolist()
            assert np.array(got[2]).tolist() == whole.tolist()
    same = inputs.switch(batches_of(2), batches_of(2), by=by).build(DEVICES)
    assert dict(shapes_of(same), rows=None) == dict(plain, rows=None)


def shapes_of(batches):
    return {name: part.shape.as_list() for name, part in batches.per_tower[1].items()}


def test_counts_are_those_of_the_selected_batch(sources):
    from legacy_towers import inputs

    source = inputs.switch(
        inputs.dataset(sources("arrays"), per_tower_batch_size=4),
        inputs.dataset(sources("arrays"), per_tower_batch_size=24, epochs=1, remainder="short", order="fixed"),
    )
    batches = source.build(DEVICES)
    with session_for(batches) as session:
        assert session.run(batches.counts) == [4, 4]
        counted = [session.run(batches.counts, {source.is_validating: True}) for _ in range(2)]
        assert session.run(batches.counts) == [4, 4]
    assert counted == [[24, 24], [16, 0]]


BAD = [
    ({"id": "int32"}, "component 'id' is int64 in training and int32 in validation: cast one of them"),
    ({"id": "int64", "more": "int64"}, "the validation batch differs from the training batch: component 'more' is unk"),
    ({"name": "int64"}, "component 'id' is missing"),
]


@pytest.mark.parametrize("by", ["placeholder", "iterator"])
@pytest.mark.parametrize("parts, message", BAD, ids=[message[:30] for _, message in BAD])
def test_errors_name_the_component_that_differs(parts, message, by):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    def dataset(kinds):
        return inputs.from_dataset(tf.data.Dataset.from_tensor_slices(
            {name: np.arange(8).astype(kind) for name, kind in kinds.items()}
        ).batch(4, drop_remainder=True))

    with pytest.raises(InputError) as raised:
        inputs.switch(dataset({"id": "int64"}), dataset(parts), by=by).build(DEVICES)
    assert message in str(raised.value)


def test_switch_by_iterator_of_ragged_batches():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    def batches_of(rows):
        numbers = tf.data.Dataset.from_tensor_slices(np.arange(rows * 8).reshape(-1, 4))
        return inputs.from_dataset(numbers.batch(rows * 2, drop_remainder=True).map(tf.RaggedTensor.from_tensor))

    with pytest.raises(InputError, match='the batch is ragged, .* and one iterator can\'t return both: use by="pl'):
        inputs.switch(batches_of(2), batches_of(3), by="iterator").build(DEVICES)
    source = inputs.switch(batches_of(2), batches_of(2), by="iterator")
    batches = source.build(DEVICES)
    dense = [tower.to_tensor() for tower in batches.per_tower]
    with session_for(batches) as session:
        got = session.run(dense, {source.is_validating: True})
    assert np.array(got).tolist() == np.arange(16).reshape(2, 2, 4).tolist()


def test_other_ranks_and_kinds_are_an_error():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    def tensors(make):
        return inputs.from_tensors(per_tower=[make(), make()])

    flat, deep = (lambda: {"x": tf.zeros([2])}), (lambda: {"x": tf.zeros([2, 3])})
    with pytest.raises(InputError, match=r"component 'x' has the shape \(2,\) in training and \(2, 3\) in validation"):
        inputs.switch(tensors(flat), tensors(deep)).build(DEVICES)
    with pytest.raises(InputError, match="component 'x' is dense in training and sparse in validation"):
        inputs.switch(tensors(flat), tensors(lambda: {"x": tf.SparseTensor([[0]], [1.0], [2])})).build(DEVICES)


def test_errors_of_switch(make_numbered, built):
    from legacy_towers import inputs
    from legacy_towers.errors import ArgumentError

    one = make_numbered("dataset:split", 0, 4)
    source = inputs.switch(one, one)
    with pytest.raises(ArgumentError, match="switch: validation must be an lt.inputs.Input, got list"):
        inputs.switch(one, [])
    with pytest.raises(ArgumentError, match="switch: train is a switch itself"):
        inputs.switch(source, one)
    with pytest.raises(ArgumentError, match="by must be one of 'placeholder', 'iterator', got 'hand'"):
        inputs.switch(one, one, by="hand")
    with pytest.raises(ArgumentError, match=r"can't be staged.*switch\(staged\(train\), staged\(validation\)\)"):
        inputs.staged(source)
    with pytest.raises(ArgumentError, match="build the step first"):
        source.is_validating  # noqa: B018
    source, batches, _ = built("dataset:split", "queue")
    with pytest.raises(ArgumentError, match="there is no current session"):
        source.restart_validation()
    with session_for(batches):
        with pytest.raises(ArgumentError, match="is read by queue, and a closed queue can't be restarted"):
            source.restart_validation()


def test_the_plan_describes_both_pipelines(built):
    _, batches, _ = built("feed", "dataset:split")
    assert str(batches.plan).startswith("feed, order fixed, 2 examples per tower")
    assert batches.plan.details["switch"] == "by placeholder"
    assert batches.plan.details["validation"].startswith("dataset:split, order fixed, 2 examples per tower")


def test_switch_of_a_dequeue_inside_a_cond_is_an_error():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    queue = tf.FIFOQueue(4, [tf.int64], [[2]])
    ready = tf.placeholder_with_default(True, [])
    conditional = tf.cond(ready, queue.dequeue, lambda: tf.zeros([2], tf.int64))
    with pytest.raises(InputError, match="takes data inside a tf.cond or a loop, where it can't be skipped"):
        inputs.switch(
            inputs.from_tensors(per_tower=[conditional]), inputs.from_tensors(per_tower=[tf.zeros([2], tf.int64)])
        ).build(["/cpu:0"])


def test_restart_validation_discards_staged_batches(third_waits):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    train = lt.inputs.from_dataset(tf.data.Dataset.range(100).map(lambda number: {"id": tf.reshape(number, [1])}))
    validation = tf.data.Dataset.range(4).map(lambda number: {"id": third_waits(number)})
    source = lt.inputs.switch(train, lt.inputs.staged(lt.inputs.from_dataset(validation)))
    batches = source.build(["/cpu:0"])
    ids = tf.identity(batches.per_tower[0]["id"])
    with session_for(batches) as session:
        assert [session.run(ids, {source.is_validating: True}).tolist() for _ in range(2)] == [[0], [1]]
        assert third_waits.is_waiting.wait(60)
        # Longer than the time limit for any thread to end.
        threading.Timer(2.0, third_waits.go_on.set).start()
        source.restart_validation()
        assert [session.run(ids, {source.is_validating: True}).tolist() for _ in range(4)] == [[0], [1], [2], [3]]


def shared_placeholders():
    """An input pipeline for three towers that all read one fed scalar."""
    import legacy_towers as lt
    from legacy_towers.compat import tf

    placeholders = lt.tower_placeholders({"x": tf.TensorSpec([2], tf.float32)}, 3, shared={
        "keep": tf.TensorSpec([2], tf.float32),
    })
    feed = lt.inputs.Feed(global_batch={"x": np.zeros(6, np.float32)}, shared={"keep": np.ones(2, np.float32)})
    return lt.inputs.from_placeholders(placeholders, lambda: iter([feed] * 9))


@pytest.mark.parametrize("train_shares", [True, False], ids=["in training", "in validation"])
def test_switch_of_shared_placeholders(train_shares):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model_fn(batch, mode):
        weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(weight * batch["x"] + batch["keep"]))

    data = tf.data.Dataset.from_tensors({"x": tf.ones([6]), "keep": tf.zeros([6])}).repeat()
    pipelines = [shared_placeholders(), lt.inputs.from_dataset(data)]
    source = lt.inputs.switch(*(pipelines if train_shares else pipelines[::-1]))
    step = lt.build_train_step(model_fn, source, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(3))
    with tf.Session(config=lt.session_config(logical_cpus=3)) as session, step.running(session) as run:
        assert (run(step.loss), source.validate(step.loss)) == (1.0, 1.0)
