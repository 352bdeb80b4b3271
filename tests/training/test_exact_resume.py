"""A run that is saved and resumed goes on as one that was never interrupted: same examples, same order, same bits."""
import collections
import functools
import os
import tempfile

import numpy as np
import pytest
from resuming import COUNT, ROWS, arrays, pipeline, restored, run, steps_of_killed_run


def mapped(**options):
    return arrays(**options).map(lambda example: dict(example, x=example["x"] * 2.0))


def augmented(**options):
    from legacy_towers.compat import tf

    def noisy(example, seed):
        return dict(example, x=example["x"] + tf.random.stateless_normal([3], seed))

    return arrays(**options).map(noisy, with_seed=True)


def of_files(**options):
    """Returns examples from three files of 5, 1 and 34 records."""
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    folder = tempfile.mkdtemp()
    for index, numbers in enumerate(np.split(np.arange(COUNT), [5, 6])):
        rows = np.concatenate([numbers[:, None].astype(np.float32), ROWS[numbers]], axis=1)
        rows.tofile(os.path.join(folder, "{}.bin".format(index)))

    def parse(record):
        numbers = tf.reshape(tf.decode_raw(record, tf.float32), [4])
        return {"id": tf.cast(numbers[0], tf.int64), "x": numbers[1:]}

    return Examples.from_fixed_length(os.path.join(folder, "*.bin"), 16, parse, **options)


def generator(**options):
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    def rows():
        for number in range(COUNT):
            yield {"id": number, "x": ROWS[number]}

    spec = {"id": tf.TensorSpec([], tf.int64), "x": tf.TensorSpec([3], tf.float32)}
    return Examples.from_generator(rows, spec, **options)


def own_dataset(route, seed=2, function=None, parallel_calls=None, **options):
    """Returns a pipeline over a dataset of batches: of 6 for the route "split", else of 3."""
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def batches(towers=1, tower=0):
        rows = tf.data.Dataset.from_tensor_slices({"id": np.arange(COUNT, dtype=np.int64), "x": ROWS})
        rows = rows.shard(towers, tower).shuffle(COUNT, seed=seed).repeat()
        rows = rows if function is None else rows.map(function, parallel_calls)
        return rows.batch(6 if route == "split" else 3, drop_remainder=True)

    return lt.inputs.from_dataset(batches if route == "sharded" else batches(), route=route, **options)


EXACT = {
    "feed": lambda: pipeline("feed", seed=3),
    "feed, no seed": lambda: pipeline("feed"),
    "feed in the background, mapped": lambda: pipeline("feed:background", mapped, seed=3),
    "dataset": lambda: pipeline("dataset", seed=3),
    "dataset, no seed": lambda: pipeline("dataset:split"),
    "dataset, fixed order": lambda: pipeline("dataset:split", order="fixed"),
    "dataset, sharded": lambda: pipeline("dataset:sharded", seed=3),
    "dataset, sharded in fixed order": lambda: pipeline("dataset:sharded", order="fixed"),
    "dataset, sharded by files": lambda: pipeline("dataset:sharded:files", of_files, seed=3),
    "sharded by files, padded": lambda: pipeline("dataset:sharded:files", of_files, seed=3, epochs=3, remainder="pad"),
    "dataset, per device": lambda: pipeline("dataset:per_device", mapped, seed=4),
    "augmented": lambda: pipeline("dataset", augmented, seed=3),
    "generator": lambda: pipeline("dataset", generator, seed=3),
    "queue": lambda: pipeline("queue", order="fixed"),
    "staged queue, three epochs": lambda: pipeline("staged+queue", order="fixed", epochs=3),
    "short, two epochs": lambda: pipeline("dataset", seed=3, epochs=3, remainder="short"),
    "sharded, padded, two epochs": lambda: pipeline("dataset:sharded", seed=3, epochs=3, remainder="pad"),
    "staged": lambda: pipeline("staged+dataset", seed=3),
    "staged feed": lambda: pipeline("staged+feed:background", seed=3),
    "synthetic": lambda: pipeline("synthetic", shuffle=False),
}
# Their order does not depend on the number of towers and the batch size.
ANY_TOWERS = ["feed", "dataset, no seed", "dataset, fixed order", "queue", "staged feed"]


@pytest.mark.parametrize("name, source", [("dataset:sharded", arrays), ("dataset:sharded:files", of_files)])
def test_a_resumed_run_goes_on_in_shards_that_are_not_equal(name, source, tmp_path):
    make = functools.partial(pipeline, name, source, seed=3)
    resumed = sum((run(make, str(tmp_path / "resumed"), until, towers=3)[0] for until in (6, 10, 11)), [])
    whole = run(make, str(tmp_path / "whole"), 40, towers=3)[0]
    assert resumed == whole[:11]
    # 40 steps of 9 are 9 epochs of 40.
    assert collections.Counter(sum((ids for ids, _ in whole), [])) == {number: 9 for number in range(COUNT)}


@pytest.mark.parametrize("name", EXACT)
def test_a_resumed_run_computes_what_an_uninterrupted_one_does(name, tmp_path):
    make = EXACT[name]
    # Saved in the first epoch, at the end of a step that spans two, and once more: the seed is that of the first run.
    first, resumed, plan = run(make, str(tmp_path), 5)
    assert (resumed, plan.resume) == (None, "exact")
    second, resumed, _ = run(make, str(tmp_path), 7)
    # How many examples a generator yields is not known before its end, and synthetic data has no epochs.
    epoch = (None, None) if name in ("generator", "synthetic") else (1, 2)
    assert (resumed.examples, resumed.epoch, resumed.example, resumed.note) == (30, epoch[0], 31, "")
    third, resumed, _ = run(make, str(tmp_path), 12)
    assert (resumed.examples, resumed.epoch, resumed.example) == (42, epoch[1], 3 if epoch[1] else 43)
    whole = first + second + third
    if "no seed" in name:
        counted = collections.Counter(sum((ids for ids, _ in whole), [])[:COUNT])
        assert counted == collections.Counter(range(COUNT))
        return
    assert whole == run(make, str(tmp_path / "uninterrupted"), 12)[0]


@pytest.mark.parametrize("name", ANY_TOWERS)
def test_another_number_of_towers_continues_at_the_same_example(name, tmp_path):
    make = EXACT[name]
    ids = []
    for until, towers in ((4, 4), (7, 3), (14, 1)):  # 48, 27 and 21 examples
        steps, resumed, _ = run(make, str(tmp_path), until, towers)
        assert (resumed.examples if resumed else 0) == len(ids)
        ids += sum((batches for batches, _ in steps), [])
    epochs = [ids[:COUNT], ids[COUNT:2 * COUNT]]
    assert [sorted(epoch) for epoch in epochs] == [list(range(COUNT))] * 2
    assert len(ids) == 96


def files(tmp_path):
    """Returns a function that makes Examples of two files with COUNT records."""
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    for number, half in enumerate(np.split(np.arange(COUNT), 2)):
        (tmp_path / "{}.txt".format(number)).write_text("".join("{}\n".format(each) for each in half))

    def parse(line):
        number = tf.strings.to_number(line, tf.int64)
        return {"id": number, "x": tf.gather(ROWS, number)}

    return lambda **options: Examples.from_text_lines(str(tmp_path / "*.txt"), parse, **options)


ONCE = {
    "shuffling": dict(threads=3),
    "shuffling files, joined": dict(join=2, files=True),
    "in order, two threads, mapped": dict(shuffle=False, mapped=True),
    "buckets": dict(bucket_by=lambda example: example["id"], bucket_boundaries=[13, 26]),
    "staged": dict(staged=True),
}


@pytest.mark.parametrize("name", ONCE)
def test_a_queue_without_a_fixed_order_has_each_example_once_per_epoch(name, tmp_path):
    """Two epochs in three runs of 3, 2 and 1 towers: no example is lost or repeated."""
    import legacy_towers as lt

    options = dict(ONCE[name])
    staged, of_files, with_map = (options.pop(key, False) for key in ("staged", "files", "mapped"))
    source = files(tmp_path) if of_files else mapped if with_map else arrays

    def make():
        queue = lt.inputs.queue(source(), per_tower_batch_size=3, epochs=2, remainder="short", **options)
        return lt.inputs.staged(queue) if staged else queue

    ids = []
    for until, towers in ((3, 3), (8, 2), (100, 1)):
        steps, resumed, plan = run(make, str(tmp_path / "run"), until, towers)
        assert plan.resume == "once per epoch"
        assert (resumed.examples if resumed else 0) == len(ids) and not (resumed and resumed.note)
        ids += sum((batches for batches, _ in steps), [])
    assert collections.Counter(ids) == {POSITION[number] if of_files else number: 2 for number in range(COUNT)}


# Lines are numbered from 1 in each file.
POSITION = {number: number // 20 * 2 ** 40 + number % 20 + 1 for number in range(COUNT)}


def test_a_position_of_other_data_is_refused_with_a_reason():
    _, position = restored(EXACT["dataset"], None)
    position.begin()
    position.advance()
    state = position.state()
    assert state["examples"] == 6 and state["seed"] == 3
    for make, reason in (
        (EXACT["dataset"], ""),
        (lambda: pipeline("dataset", seed=4), "the order continues with seed 3 of the checkpoint, not with seed 4"),
        (EXACT["feed"], "one of the order of tf.data with a shuffle buffer of 40 examples, and this is the order of "
         "numpy"),
        (EXACT["dataset, sharded"], "in equal shards for 2 towers"),
        (EXACT["queue"], "and this is the order of the data"),
    ):
        resumed, _ = restored(make, state)
        assert reason in resumed.note
        assert resumed.examples == (0 if "because" in resumed.note else 6)
    resumed, _ = restored(EXACT["dataset"], dict(state, epoch=39))
    assert resumed.note.endswith("the data has changed: an epoch had 39 examples, and has 40")
    resumed, _ = restored(EXACT["dataset"], None)
    assert resumed.note == (
        "the input begins again at example 1 of epoch 1, because the checkpoint has no position of the input"
    )


def random_map(**options):
    from legacy_towers.compat import tf

    return arrays(**options).map(lambda example: dict(example, x=example["x"] + tf.random.uniform([3])))


def test_a_callers_dataset_continues_after_the_batches_that_were_used(tmp_path):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    for route in ("split", "next_per_tower", "per_device", "sharded"):
        directory = str(tmp_path / route)
        steps = []
        for until in (3, 9):
            seen, resumed, plan = run(lambda route=route: own_dataset(route), directory, until)
            steps += seen
            assert plan.resume == "exact"
        assert resumed.examples == (3 if route in ("split", "sharded") else 6)
        assert steps == run(lambda route=route: own_dataset(route), directory + " whole", 9)[0]
    plans = [run(make, str(tmp_path / str(number)), 1)[2] for number, make in enumerate([
        lambda: lt.inputs.staged(own_dataset("split", seed=None)),
        lambda: own_dataset("split", function=lambda row: dict(row, x=row["x"] + tf.random.uniform([3]))),
        lambda: own_dataset("split", function=drawing, parallel_calls=2),
    ])]
    assert [plan.resume for plan in plans] == ["refused", "once per epoch", "once per epoch"]
    assert "give each shuffle() of it a seed" in plans[0].resume_reason
    assert all("random_uniform" in plan.resume_reason for plan in plans[1:])


def drawing(row):
    from legacy_towers.compat import tf

    return dict(row, x=row["x"] + tf.random.uniform([3], seed=1))


def test_random_numbers_with_a_seed_in_a_sequential_map_are_drawn_again(tmp_path):
    def make():
        return own_dataset("split", function=drawing)

    first, _, plan = run(make, str(tmp_path / "resumed"), 3)
    assert plan.resume == "exact"
    second = run(make, str(tmp_path / "resumed"), 9)[0]
    assert first + second == run(make, str(tmp_path / "whole"), 9)[0]


@pytest.mark.parametrize("make, promise, reason", [
    (lambda: pipeline("dataset", random_map, seed=1), "once per epoch", "'random_uniform/RandomUniform' of a parse"),
    (lambda: pipeline("queue"), "once per epoch", "depends on how full it is"),
    (lambda: pipeline("queue", shuffle=False), "once per epoch", "several threads enqueue"),
    (lambda: pipeline("dataset", generator), "exact", "reads and skips"),
], ids=["random map", "shuffling queue", "two threads", "generator"])
def test_the_plan_says_what_is_promised_and_why(make, promise, reason):
    from legacy_towers.compat import tf

    with tf.Graph().as_default():
        plan = make().build(["/cpu:0"]).plan
    assert plan.resume == promise and reason in plan.resume_reason
    assert "resume: {} (".format(promise) in str(plan)


def test_a_map_with_a_seed_draws_by_seed_epoch_and_id(tmp_path):
    def noise(examples, **options):
        return {
            int(number): row for batch in examples.numpy_batches(COUNT, **options)
            for number, row in zip(batch["id"], batch["x"] - ROWS[batch["id"]])
        }

    first = noise(augmented(seed=5))
    again = noise(augmented(seed=5, shuffle=False))
    other = noise(augmented(seed=6))
    assert len({row.tobytes() for row in first.values()}) == COUNT
    for number in range(COUNT):
        np.testing.assert_array_equal(first[number], again[number])
        assert (first[number] != other[number]).all()
    epochs = list(augmented(seed=5, shuffle=False).numpy_batches(COUNT, epochs=2))
    assert (epochs[0]["x"] != epochs[1]["x"]).any(axis=1).all()
    with_ids = next(augmented(seed=5, shuffle=False).with_ids().numpy_batches(COUNT))
    np.testing.assert_array_equal(with_ids["example"]["x"], epochs[0]["x"])


def test_a_queue_refuses_maps_with_a_seed():
    from legacy_towers.errors import InputError

    with pytest.raises(InputError, match="a map that takes a seed"):
        pipeline("queue", augmented)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["staged feed", "dataset"])
def test_a_killed_run_resumes_with_the_trajectory_of_one_that_was_not(name, tmp_path):
    before = steps_of_killed_run("EXACT[{!r}]".format(name), str(tmp_path), 8)
    after, resumed, _ = run(EXACT[name], str(tmp_path), 12)
    saved = resumed.examples // 6
    assert saved in (3, 6)  # the checkpoint of step 6 may not have been complete
    assert before[:saved] + after == run(EXACT[name], str(tmp_path / "uninterrupted"), 12)[0]
    assert before == (before[:saved] + after)[:8]


def test_stateless_dropout_resumes_exactly_and_the_plan_names_other_random_numbers(tmp_path):
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.errors import ArgumentError

    make = EXACT["feed"]

    def train(directory, until, dropout):
        steps, _, plan = run(make, str(tmp_path / directory), until, dropout=dropout)
        return steps, plan.resume_reason

    def stateless(x):
        return lt.stateless_dropout(x, 0.5)

    halves = train("halves", 3, stateless)[0] + train("halves", 6, stateless)[0]
    whole, reason = train("whole", 6, stateless)
    assert halves == whole and "other random numbers" not in reason
    _, reason = train("other", 1, lambda x: tf.nn.dropout(x, rate=0.5, seed=1))
    assert "a resumed run draws other random numbers in" in reason and "'tower_0/dropout" in reason
    with tf.Graph().as_default(), tf.Session() as session:
        first, second = [lt.stateless_dropout(tf.ones([50, 40]), 0.25) for _ in range(2)]
        step = tf.train.get_or_create_global_step()
        session.run(step.initializer)
        values = session.run([first, second])
        session.run(tf.assign_add(step, 1))
        later = session.run(first)
        np.testing.assert_allclose(np.unique(values[0]), [0, 4 / 3], rtol=1e-6)
        assert abs(np.mean(values[0] == 0) - 0.25) < 0.05
        assert (values[0] != values[1]).any() and (values[0] != later).any()
    with pytest.raises(ArgumentError, match="rate is 1"):
        lt.stateless_dropout(tf.ones([1]), 1)
