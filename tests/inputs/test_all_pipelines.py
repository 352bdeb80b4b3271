"""Properties of all pipelines: each example goes to one tower once per epoch, in the same order if that is fixed."""
import collections

import numpy as np
import pytest
from diagonals import diagonals

PIPELINES = [
    "feed",
    "feed:background",
    "queue",
    "dataset:split",
    "dataset:next_per_tower",
    "dataset:sharded",
    "dataset:per_device",
]
PAIRS = [
    (pipeline, kind)
    for pipeline in PIPELINES
    for kind in ("tfrecords", "fixed_length", "arrays", "generator")
    if kind != "generator" or pipeline not in ("queue", "dataset:sharded")
]
COUNT = 64


def test_each_pipeline_is_tested_here():
    from legacy_towers.specs import pipelines

    # Synthetic data has no epochs, and test_staged.py tests the staged ones.
    unstaged = {pipeline for pipeline in pipelines.PIPELINES if not pipeline.startswith("staged+")}
    assert set(PIPELINES) == unstaged - {"synthetic"}


def ids_of(step):
    return [tower["id"].tolist() for tower in step]


@pytest.mark.parametrize("pair, order", diagonals(2, ["-".join(pair) for pair in PAIRS], ["any", "fixed"]))
def test_an_epoch_is_split_among_the_towers(pair, order, sources, make_input, drive, cpus):
    pipeline, kind = pair.split("-")
    examples = sources(kind, seed=7)
    batches = make_input(pipeline, examples, per_tower_batch_size=4, epochs=1, order=order).build(cpus)
    steps = drive(batches)
    assert len(steps) == 4
    per_tower = [sorted(sum((ids_of(step)[tower] for step in steps), [])) for tower in range(4)]
    assert [len(ids) for ids in per_tower] == [16] * 4
    # Disjoint, and their union is the data: no example twice, none lost.
    assert sorted(sum(per_tower, [])) == list(range(COUNT))
    for step in steps:
        for tower in step:
            expected = np.stack([[i, i / 2, -i] for i in tower["id"]]).astype(np.float32)
            np.testing.assert_array_equal(tower["part"]["x"], expected)
    if order == "any":
        assert [ids_of(step) for step in steps] != np.arange(COUNT).reshape(4, 4, 4).tolist()


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_each_example_comes_once_per_epoch(pipeline, sources, make_input, drive, cpus):
    batches = make_input(pipeline, sources("tfrecords"), global_batch_size=16, epochs=3).build(cpus)
    counted = collections.Counter(sum((sum(ids_of(step), []) for step in drive(batches)), []))
    assert counted == {number: 3 for number in range(COUNT)}


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("kind", ["tfrecords", "arrays"])
def test_the_fixed_order_is_the_same_in_every_pipeline(pipeline, kind, sources, make_input, drive, cpus):
    batches = make_input(pipeline, sources(kind), per_tower_batch_size=3, order="fixed").build(cpus)
    steps = drive(batches, steps=50)
    stream = np.arange(50 * 12) % COUNT  # the epochs one after another: 64 is not a multiple of 12
    assert [ids_of(step) for step in steps] == stream.reshape(50, 4, 3).tolist()


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_the_last_incomplete_global_batch_is_dropped(pipeline, sources, make_input, drive, cpus):
    batches = make_input(pipeline, sources("tfrecords"), global_batch_size=20, epochs=1, order="fixed").build(cpus)
    assert [ids_of(step) for step in drive(batches)] == np.arange(60).reshape(3, 4, 5).tolist()
    assert "dropped" in str(batches.plan)


def expected_steps(count, epochs, towers, per_tower, remainder):
    """Returns what each tower gets in each step of the fixed order, (rows, count), by indexing alone."""
    steps = []
    stream = [number for _ in range(epochs) for number in range(count)]
    for start in range(0, len(stream), towers * per_tower):
        step = []
        for tower in range(towers):
            own = stream[start:start + towers * per_tower][tower * per_tower:(tower + 1) * per_tower]
            size = per_tower if remainder == "pad" else max(len(own), 1)
            step.append((own + [stream[start]] * (size - len(own)), len(own)))
        steps.append(step)
    return steps


@pytest.mark.parametrize("remainder", ["short", "pad"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_remainder_pad_and_short_use_every_example_once(pipeline, remainder, sources, make_input, drive, cpus):
    batches = make_input(
        pipeline, sources("arrays", seed=1), per_tower_batch_size=7, epochs=2, remainder=remainder
    ).build(cpus[:3])
    assert batches.padded == (remainder == "pad")
    assert [count.dtype.name for count in batches.counts] == ["int32"] * 3
    counted = collections.Counter()
    for step in drive(batches, counted=True):
        for tower, count in step:
            assert len(tower["id"]) == (7 if remainder == "pad" else max(count, 1))
            counted.update(tower["id"][:count].tolist())
            np.testing.assert_array_equal(tower["part"]["x"][:, 2], -tower["id"])
    assert counted == {number: 2 for number in range(COUNT)}


# Of 128 examples, 3 towers of 7 leave 2 for the last step; 3 of 8 leave 8, a full batch for the first tower alone.
@pytest.mark.parametrize("per_tower, remainder", [(7, "short"), (8, "short"), (7, "pad")])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_the_last_step_of_the_fixed_order(pipeline, per_tower, remainder, sources, make_input, drive, cpus):
    batches = make_input(
        pipeline, sources("arrays"), per_tower_batch_size=per_tower, epochs=2, remainder=remainder, order="fixed"
    ).build(cpus[:3])
    seen = [[(tower["id"].tolist(), count) for tower, count in step] for step in drive(batches, counted=True)]
    assert seen == expected_steps(COUNT, 2, 3, per_tower, remainder)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_less_than_one_batch_is_a_step(pipeline, sources, make_input, drive, cpus):
    batches = make_input(
        pipeline, sources("arrays"), per_tower_batch_size=50, epochs=1, remainder="short", order="fixed"
    )
    (step,) = drive(batches.build(cpus), counted=True)
    assert [(tower["id"].tolist(), count) for tower, count in step] == expected_steps(COUNT, 1, 4, 50, "short")[0]


@pytest.mark.parametrize("pipeline", ["feed", "dataset:split"])
@pytest.mark.parametrize("kind", ["tfrecords", "arrays"])
def test_a_seed_repeats_the_order_and_each_epoch_has_its_own(pipeline, kind, sources, make_input, drive, cpus):
    def order(seed):
        batches = make_input(pipeline, sources(kind, seed=seed), per_tower_batch_size=4, epochs=2).build(cpus)
        return [number for step in drive(batches) for tower in ids_of(step) for number in tower]

    first = order(5)
    assert first == order(5)
    assert first != order(6)
    assert first[:COUNT] != first[COUNT:]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_each_tower_has_its_batch_on_its_device(pipeline, sources, make_input, cpus):
    batches = make_input(pipeline, sources("tfrecords"), per_tower_batch_size=4).build(cpus)
    for index, tower in enumerate(batches.per_tower):
        for tensor in (tower["id"], tower["part"]["x"]):
            assert tensor.device.upper().endswith("CPU:{}".format(index))
            assert tensor.name.startswith("tower_{}/".format(index))
        assert tower["part"]["x"].shape.as_list() == [4, 3]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_pipelines_leave_the_tower_name_scope_unused(pipeline, sources, make_input, cpus):
    from legacy_towers.compat import tf

    make_input(pipeline, sources("tfrecords"), per_tower_batch_size=4).build(cpus)
    with tf.name_scope("tower_0") as scope:
        assert scope == "tower_0/"


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_new_session_starts_at_the_beginning(pipeline, sources, make_input, drive, cpus):
    batches = make_input(pipeline, sources("arrays"), per_tower_batch_size=4, epochs=1, order="fixed").build(cpus)
    first = [ids_of(step) for step in drive(batches)]
    assert [ids_of(step) for step in drive(batches)] == first
    assert len(first) == 4


@pytest.mark.parametrize("devices, shape", [(["/cpu:0"] * 2, (2, 2, 16)), (["/cpu:1"], (2, 1, 32))], ids=["two", "one"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_several_towers_share_a_device_and_one_tower_is_enough(pipeline, devices, shape, sources, make_input, drive):
    batches = make_input(pipeline, sources("arrays"), global_batch_size=32, epochs=1, order="fixed").build(devices)
    assert [ids_of(step) for step in drive(batches)] == np.arange(64).reshape(shape).tolist()


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_map_augments_in_every_pipeline(pipeline, sources, make_input, drive, cpus):
    examples = sources("arrays").map(lambda example: dict(example, double=example["id"] * 2))
    batches = make_input(pipeline, examples, per_tower_batch_size=4, epochs=1).build(cpus)
    for step in drive(batches):
        for tower in step:
            np.testing.assert_array_equal(tower["double"], tower["id"] * 2)


BAD = [
    ("feed", {}, "give exactly one of per_tower_batch_size and global_batch_size (neither given)"),
    ("feed", {"per_tower_batch_size": 4, "global_batch_size": 16}, "(both given)"),
    ("queue", {"per_tower_batch_size": 0}, "per_tower_batch_size must be a whole number of at least 1, got 0"),
    ("dataset", {"global_batch_size": 16.0}, "must be a whole number of at least 1, got 16.0"),
    ("feed", {"per_tower_batch_size": 4, "epochs": 0}, "epochs must be a whole number"),
    ("feed", {"per_tower_batch_size": 4, "order": "random"}, 'order must be "any" or "fixed", got \'random\''),
    ("queue", {"per_tower_batch_size": 4, "order": "fixed", "shuffle": True}, 'shuffle=True contradicts order="fixed"'),
    ("queue", {"per_tower_batch_size": 4, "order": "fixed", "threads": 2}, 'threads=2 contradicts order="fixed"'),
    ("dataset", {"per_tower_batch_size": 4, "route": "round"}, "route must be one of 'split', 'next_per_tower', 'shar"),
    ("dataset", {"per_tower_batch_size": 4, "prefetch": -1}, "prefetch, where it isn't 0, must be"),
    ("dataset", {"per_tower_batch_size": 4, "shuffle": "yes"}, "shuffle must be True, False or a number"),
]


@pytest.mark.parametrize("pipeline, options, message", BAD, ids=[message[:30] for _, _, message in BAD])
def test_options_that_contradict_each_other(pipeline, options, message, sources):
    from legacy_towers import inputs
    from legacy_towers.errors import ArgumentError

    with pytest.raises(ArgumentError) as raised:
        getattr(inputs, pipeline)(sources("arrays"), **options)
    assert message in str(raised.value)


def test_the_global_batch_size_must_be_divisible(sources, cpus):
    from legacy_towers import inputs
    from legacy_towers.errors import ArgumentError

    with pytest.raises(ArgumentError, match="global_batch_size=30 is not divisible by 4 towers: use 28 or 32"):
        inputs.feed(sources("arrays"), global_batch_size=30).build(cpus)
    with pytest.raises(ArgumentError, match=r"1 epoch of 64 examples doesn't fill one batch of 80 \(4 towers of 20"):
        inputs.feed(sources("arrays"), per_tower_batch_size=20, epochs=1).build(cpus)


def test_errors_name_the_pipelines_that_support_generators(sources):
    from legacy_towers import inputs
    from legacy_towers.errors import ArgumentError, InputError

    with pytest.raises(InputError, match="a queue can't read the generator numbers: use lt.inputs.feed, or"):
        inputs.queue(sources("generator"), per_tower_batch_size=4)
    with pytest.raises(ArgumentError, match='use route="split", "next_per_tower" or "per_device"'):
        inputs.dataset(sources("generator"), per_tower_batch_size=4, route="sharded")


def test_the_plan_has_a_line_for_each_decision(sources, cpus):
    from legacy_towers import inputs

    examples = sources("fixed_length", seed=3)
    plan = inputs.dataset(examples, global_batch_size=16, route="split", epochs=2).build(cpus).plan
    lines = str(plan).splitlines()
    assert len(lines) == 3 + 4 and lines[-1].startswith("  resume: exact (the seed decides ")
    assert lines[0].startswith(
        "dataset:split, order any, 4 examples per tower, 16 per step, 2 epochs of 64 examples from 2 fixed-length"
    )
    assert "shuffle: buffer of 64 examples, seed 3" in lines[1]
    assert (plan.per_tower_batch_size, plan.global_batch_size, plan.examples) == (4, 16, 64)


@pytest.mark.parametrize("pipeline", ["feed", "queue"])
def test_errors_name_the_component_that_is_not_dense(pipeline, sources, make_input, cpus):
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    examples = sources("arrays").map(
        lambda example: {"words": tf.SparseTensor([[0]], tf.reshape(example["id"], [1]), [3])}
    )
    with pytest.raises(
        InputError, match="component 'words' is a .*lt.inputs.{} supports only".format(pipeline)
    ):
        make_input(pipeline, examples, per_tower_batch_size=4).build(cpus)


def test_queue_needs_static_shapes(sources, make_input, cpus):
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    mask = [True, False, True]
    examples = sources("arrays").map(lambda example: {"loose": tf.boolean_mask(example["part"]["x"], mask)})
    with pytest.raises(InputError, match="component 'loose' has the shape .* set_shape"):
        make_input("queue", examples, per_tower_batch_size=4).build(cpus)


def test_a_shard_without_examples_in_one_epoch_has_some_in_the_next(tmp_path):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    with tf.python_io.TFRecordWriter(str(tmp_path / "one")) as writer:
        writer.write(b"0")
    examples = lt.Examples.from_tfrecords(str(tmp_path / "one"), lambda record: {"x": record}, count=1, seed=0)
    for epochs in (3, None):
        batch = examples.dataset((2, 1), True, epochs).repeat(2).batch(2).make_one_shot_iterator().get_next()
        with tf.Session() as session:
            assert session.run(batch)["x"].tolist() == [b"0", b"0"]
