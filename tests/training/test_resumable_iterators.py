"""A run continues with iterators that report their own position, and finds those that go on with other examples."""
import json

import numpy as np
import pytest
from resuming import COUNT, ROWS, pipeline, run, steps_of_killed_run

READ = []  # the rows that iterators have yielded, in all sessions of a test


@pytest.fixture(autouse=True)
def nothing_was_read():
    del READ[:]


class Rows:
    """An iterator over one epoch."""

    def __init__(self, count=COUNT, row=0):
        self.count = count
        self.row = row

    def __iter__(self):
        return self

    def __next__(self):
        if self.row >= self.count:
            raise StopIteration
        READ.append(self.row)
        self.row += 1
        return {"id": self.row - 1, "x": ROWS[self.row - 1]}

    def state_dict(self):
        return {"row": self.row}

    def load_state_dict(self, state):
        self.row = state["row"]


class Loader:
    """An object that can be iterated over, as a data loader: it begins each epoch with another row."""

    def __init__(self):
        self.epoch, self.row = -1, 0
        self.loaded = False

    def __iter__(self):
        if not self.loaded:
            self.epoch, self.row = self.epoch + 1, 0
        self.loaded = False
        while self.row < COUNT:
            self.row += 1
            row = (self.row - 1 + 7 * self.epoch) % COUNT
            READ.append(row)
            yield {"id": row, "x": ROWS[row]}

    def state_dict(self):
        return {"epoch": self.epoch, "row": self.row}

    def load_state_dict(self, state):
        self.epoch, self.row, self.loaded = state["epoch"], state["row"], True


def iterated(make_iterator=Rows, **options):
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    spec = {"id": tf.TensorSpec([], tf.int64), "x": tf.TensorSpec([3], tf.float32)}
    return Examples.from_generator(make_iterator, spec, resumable=True, **options)


def augmented(**options):
    from legacy_towers.compat import tf

    def noisy(example, seed):
        return dict(example, x=example["x"] + tf.random.stateless_normal([3], seed))

    return iterated(**options).map(noisy, with_seed=True)


def with_ids(**options):
    return iterated(**options).with_ids().map(lambda pair: dict(pair["example"], id=pair["id"]))


def loaded(**options):
    loader = Loader()
    return iterated(lambda: loader, **options)


# The pipeline, and the first row that the third session reads: the one that was used last, or the first of its epoch.
RESUMABLE = {
    "in order": (lambda: pipeline("dataset", iterated, shuffle=False), 1),
    "shuffled": (lambda: pipeline("dataset", iterated, seed=3), 0),
    "per device, with ids": (lambda: pipeline("dataset:per_device", with_ids, shuffle=False), 1),
    "augmented": (lambda: pipeline("dataset", augmented, seed=3, shuffle=False), 1),
    "feed": (lambda: pipeline("feed", iterated, shuffle=False), 1),
    "staged feed, shuffled": (lambda: pipeline("staged+feed:background", iterated, seed=3), 0),
    "short, three epochs": (lambda: pipeline("dataset", iterated, shuffle=False, epochs=3, remainder="short"), 1),
    "loader": (lambda: pipeline("dataset:split", loaded, shuffle=False), 8),
}


@pytest.mark.parametrize("name", RESUMABLE)
def test_a_resumed_run_reads_on_where_the_iterator_was(name, tmp_path):
    make, first_row = RESUMABLE[name]
    steps = []
    # The third session begins in the second epoch, of which two examples were used.
    for until in (3, 7, 15):
        del READ[:]
        seen, resumed, plan = run(make, str(tmp_path), until)
        steps += seen
        assert plan.resume == "exact" and "report their position" in plan.resume_reason
    assert (resumed.examples, resumed.epoch, resumed.example, resumed.note) == (42, 2, 3, "")
    assert READ[0] == first_row
    assert steps == run(make, str(tmp_path / "uninterrupted"), 15)[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["in order", "staged feed, shuffled", "loader"])
def test_a_killed_run_resumes_where_its_iterator_was(name, tmp_path):
    make = RESUMABLE[name][0]
    before = steps_of_killed_run("RESUMABLE[{!r}][0]".format(name), str(tmp_path), 8)
    after, resumed, _ = run(make, str(tmp_path), 12)
    saved = resumed.examples // 6
    assert saved in (3, 6)  # the checkpoint of step 6 may not have been complete
    uninterrupted = run(make, str(tmp_path / "uninterrupted"), 12)[0]
    assert before[:saved] + after == uninterrupted
    assert before == uninterrupted[:8]


def test_a_position_at_the_end_of_an_epoch_and_of_the_data(tmp_path):
    def make(epochs=2):
        return pipeline("dataset", iterated, shuffle=False, epochs=epochs, remainder="short", per_tower_batch_size=4)

    first = run(make, str(tmp_path), 5)[0]  # 40 examples
    del READ[:]
    second, resumed, _ = run(make, str(tmp_path), 100)
    assert READ == [COUNT - 1] + list(range(COUNT))
    assert (resumed.examples, resumed.epoch, resumed.example) == (40, 1, 41)
    assert sum((ids for ids, _ in first + second), []) == list(range(COUNT)) * 2
    third, resumed, _ = run(lambda: make(3), str(tmp_path), 100)
    assert resumed.examples == 80 and sum((ids for ids, _ in third), []) == list(range(COUNT))


def test_a_run_continues_with_another_number_of_towers_and_without_reported_positions(tmp_path):
    ids = []
    for until, towers, resumable in ((2, 4, True), (4, 1, True), (6, 2, False), (12, 2, True)):
        def make(resumable=resumable):
            from legacy_towers.compat import tf
            from legacy_towers.data import Examples

            spec = {"id": tf.TensorSpec([], tf.int64), "x": tf.TensorSpec([3], tf.float32)}
            rows = Examples.from_generator(Rows, spec, shuffle=False, resumable=resumable)
            return pipeline("dataset", lambda: rows)

        ids += sum((each for each, _ in run(make, str(tmp_path), until, towers)[0]), [])
    assert ids == [number % COUNT for number in range(len(ids))] and len(ids) == 24 + 6 + 12 + 36


class Batches(Rows):
    """Batches of `size` examples in a buffer that is used again, or single examples."""

    size = 6

    def __init__(self):
        super().__init__(count=10 ** 6)
        self.buffer = {"id": np.zeros([self.size], np.int64), "x": np.zeros([self.size, 3], np.float32)}

    def __next__(self):
        READ.append(self.row)
        rows = np.arange(self.row, self.row + self.size) % COUNT
        self.row += self.size
        self.buffer["id"][:], self.buffer["x"][:] = rows, ROWS[rows]
        return self.buffer


def fed(background=False, make=Batches):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    spec = {"id": tf.TensorSpec([3], tf.int64), "x": tf.TensorSpec([3, 3], tf.float32)}
    placeholders = lt.tower_placeholders(spec, towers=2)
    return lt.inputs.from_placeholders(placeholders, make, background=background, resumable=True)


def queued(**options):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    queue = tf.FIFOQueue(20, [tf.int64, tf.float32], [[], [3]], names=["id", "x"])
    options = dict({"per_tower_batch_size": 2, "order": "fixed", "feed_with": Batches}, **options)
    return lt.inputs.from_queue(queue, resumable=True, **options)


def staged_queue():
    import legacy_towers as lt

    return lt.inputs.staged(queued(prefetch=2))


FED = {
    "placeholders": fed,
    "placeholders in the background": lambda: fed(background=True),
    "a loop that gives an object": lambda: fed(make=BatchLoader()),
    "queue": queued,
    "prefetched, staged queue": staged_queue,
}


class BatchLoader:
    """An iterable that has the methods itself."""

    def __init__(self):
        self.batches = Batches()

    def __iter__(self):
        return iter(self.batches.__next__, None)

    def state_dict(self):
        return self.batches.state_dict()

    def load_state_dict(self, state):
        self.batches.load_state_dict(state)


@pytest.mark.parametrize("name", FED)
def test_a_resumed_run_feeds_on_where_the_iterator_was(name, tmp_path):
    make = FED[name]
    steps = []
    for until in (4, 9):
        del READ[:]
        seen, resumed, plan = run(make, str(tmp_path), until)
        steps += seen
        assert plan.resume == "exact" and "position" in plan.resume_reason
    per_step = 4 if "queue" in name else 6
    assert [ids for ids, _ in steps] == [
        [number % COUNT for number in range(step * per_step, (step + 1) * per_step)] for step in range(9)
    ]
    # The batch with what was used last: of the queue, which gives 4 examples to a step, the 16th is in the third batch.
    assert READ[0] == (12 if "queue" in name else 18)
    assert resumed.examples == (16 if "queue" in name else 4)


def test_a_queue_continues_with_another_number_of_towers(tmp_path):
    ids = []
    for until, towers in ((2, 3), (5, 1), (7, 2)):
        steps, _, plan = run(lambda: queued(order="any"), str(tmp_path), until, towers)
        assert plan.resume == ("exact" if towers == 1 else "once per epoch")
        assert plan.resume == "exact" or 'order="fixed" is exact' in plan.resume_reason
        for each, _ in steps:
            assert sorted(each) == list(range(len(ids), len(ids) + 2 * towers))
            ids += each
    assert len(ids) == 12 + 6 + 8


def tensors():
    import legacy_towers as lt
    from legacy_towers.compat import tf

    return lt.inputs.from_tensors(per_tower=[tf.zeros([2, 3])])


def plain_queue(kind="FIFOQueue", feeders=0, runner=False):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    capacities = (20, 10) if kind == "RandomShuffleQueue" else (20,)
    queue = getattr(tf, kind)(*capacities, dtypes=[tf.float32], shapes=[[3]])
    if runner:
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([tf.zeros([3])])]))
    return lt.inputs.from_queue(queue, per_tower_batch_size=2, feed_with=[Rows] * feeders or None)


def plain_feed():
    import legacy_towers as lt
    from legacy_towers.compat import tf

    return lt.inputs.from_placeholders(lt.tower_placeholders(tf.TensorSpec([2, 3], tf.float32), 1), Rows)


@pytest.mark.parametrize("make, reason", [
    (tensors, "lt.inputs.from_dataset, or from_queue(..., feed_with=..., resumable=True)"),
    (plain_feed, "from_placeholders(..., resumable=True), resumes exactly"),
    (lambda: plain_queue("RandomShuffleQueue", 1), "shuffle in feed_with, with a tf.FIFOQueue and resumable=True"),
    (lambda: plain_queue(feeders=2), "use one, with resumable=True"),
    (lambda: plain_queue(feeders=1), "resumable=True, resumes exactly"),
    (lambda: plain_queue(runner=True), "queue runners fill the queue: lt.inputs.queue over lt.Examples"),
    (plain_queue, "your threads fill the queue: lt.inputs.queue over lt.Examples"),
], ids=["tensors", "placeholders", "shuffling queue", "two functions", "function", "queue runners", "threads"])
def test_a_refusal_names_what_resumes(make, reason):
    plan = make().build(["/cpu:0"]).plan
    assert plan.resume == "refused" and reason in plan.resume_reason


def test_options_that_contradict_resumable_are_errors():
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.errors import ArgumentError

    placeholders = lt.tower_placeholders(tf.TensorSpec([2, 3], tf.float32), 1)
    with pytest.raises(ArgumentError, match="needs a function that returns a new one for each session"):
        lt.inputs.from_placeholders(placeholders, iter([]), resumable=True)
    shuffling = tf.RandomShuffleQueue(20, 10, [tf.float32], [[3]])
    for queue, feeders in ((shuffling, Rows), (tf.FIFOQueue(9, [tf.float32]), None)):
        with pytest.raises(ArgumentError, match="needs a queue that keeps the order .* and one function"):
            lt.inputs.from_queue(queue, feed_with=feeders, resumable=True)


class ForgetsBatches(Batches):
    def load_state_dict(self, state):
        pass


@pytest.mark.parametrize("make, message", [
    (lambda wrong: fed(make=wrong), "the function .*Batches yields another batch 2 than before"),
    (lambda wrong: fed(make=wrong, background=True), "yields another batch 2 than before"),
    (lambda wrong: queued(feed_with=wrong), "the function .*Batches yields another item 2 than before"),
], ids=["placeholders", "background", "queue"])
def test_feeds_that_go_on_with_other_examples_are_errors(make, message, tmp_path):
    from legacy_towers.errors import InputError

    run(lambda: make(Batches), str(tmp_path), 2)
    with pytest.raises(InputError, match=message):
        run(lambda: make(ForgetsBatches), str(tmp_path), 4)


class Forgets(Rows):
    def load_state_dict(self, state):
        pass


class GoesOneFurther(Rows):
    def load_state_dict(self, state):
        self.row = state["row"] + 1


class Ends(Rows):
    def load_state_dict(self, state):
        self.row = self.count


class Doubles(Rows):
    def __next__(self):
        return dict(super().__next__(), x=ROWS[self.row - 1] * 2)


@pytest.mark.parametrize("name, wrong, message", [
    ("dataset", Forgets, "yields another example 6 of epoch 1"),
    ("feed", GoesOneFurther, "yields another example 6 of epoch 1"),
    ("feed", Ends, "does not yield example 6 of epoch 1 as before"),
    ("dataset", Doubles, "yields another example 6 of epoch 1"),
], ids=["begins again", "one further", "ends", "other values"])
def test_an_iterator_that_goes_on_with_other_examples_is_an_error(name, wrong, message, tmp_path):
    from legacy_towers.errors import RecordError

    def make(make_iterator=Rows):
        return pipeline(name, lambda **options: iterated(make_iterator, **options), shuffle=False)

    run(make, str(tmp_path), 1)
    with pytest.raises(RecordError, match="^the generator {} {}".format(wrong.__name__, message)):
        run(lambda: make(wrong), str(tmp_path), 2)


class WithoutState(Rows):
    state_dict = None


class OfArrays(Rows):
    def state_dict(self):
        return {"row": np.int64(self.row)}


class OfNumberedKeys(Rows):
    def state_dict(self):
        return {"rows": {1: self.row}}


@pytest.mark.parametrize("wrong, message", [
    (WithoutState, r"returns a WithoutState without state_dict\(\): from_generator\(..., resumable=True\) needs both"),
    (OfArrays, r"what JSON can't hold \(Object of type '?int64'? is not JSON serializable\): use numbers"),
    (OfNumberedKeys, "the key 1 is not a string"),
], ids=["no method", "numpy values", "keys that are numbers"])
def test_iterators_that_cant_report_their_position_are_errors(wrong, message, tmp_path):
    from legacy_towers.data.item_log import ItemLog

    log = ItemLog("the generator rows", "from_generator(..., resumable=True)")
    from legacy_towers.errors import InputError

    with pytest.raises(InputError, match=message):
        list(log.items(wrong, 0, lambda number, item: (item, [item["x"]], 1)))


def read(log, count, epoch=0, make=Rows):
    items = log.items(make, epoch, lambda number, item: (item["id"], [np.asarray(item["id"])], 1))
    return [next(items)[1] for _ in range(count)]


def test_the_log_saves_what_was_used_and_forgets_what_was_used_before():
    from legacy_towers.data.item_log import ItemLog, check_saved, checksum_of

    log = ItemLog("rows", "resumable=True")
    log.begin(None, 0)
    assert log.saved(0) == (0, None)
    assert read(log, 6) == [0, 1, 2, 3, 4, 5]  # steps have used three of them
    used, saved = log.saved(3)
    sums = [checksum_of([np.asarray(number)]) for number in (2, 3)]
    assert (used, saved) == (3, {"epoch": 0, "item": 2, "used": 2, "state": {"row": 2}, "checksums": sums})
    assert log.saved(9)[0] == 6  # the last step was filled with copies
    check_saved(json.loads(json.dumps(saved)))
    for wrong in (dict(saved, item=-1), dict(saved, used=True), dict(saved, checksums=["a"]), [], {}):
        with pytest.raises((ValueError, KeyError, TypeError)):
            check_saved(wrong)
    again = ItemLog("rows", "resumable=True")
    again.begin(saved, 3)
    assert again.saved(3) == (3, saved)
    assert read(again, 2) == [3, 4]
    assert again.saved(4)[1]["state"] == {"row": 3}
    for number in range(COUNT):
        log.use(number)
    assert len(log._session.read) == 1


def test_the_log_of_shuffled_items_saves_the_beginning_of_their_epoch():
    from legacy_towers.data.item_log import ItemLog

    log = ItemLog("rows", "resumable=True", whole_epochs=True)
    log.begin(None, 0)
    small = lambda: Rows(4)  # noqa: E731
    converted = lambda number, item: (item["id"], [np.asarray(item["id"])], 1)  # noqa: E731
    assert len(list(log.items(small, 0, converted))) == 4
    assert log.saved(3)[1]["used"] == log.saved(4)[1]["used"] == 0
    assert read(log, 3, epoch=1, make=small) == [0, 1, 2]
    for number in (4, 5, 7):
        saved = log.saved(number)[1]
        assert (saved["epoch"], saved["used"], saved["state"]) == (1, 4, {"row": 0})


@pytest.mark.parametrize("one, other", [
    (np.float32([1, 2]), np.float32([1, 3])), (np.float32([1]), np.float64([1])), (np.zeros([2, 3]), np.zeros([3, 2])),
    (np.array([b"ab", b"c"], object), np.array([b"a", b"bc"], object)), (np.zeros([0]), np.zeros([0, 1])),
    (np.asarray(1), np.asarray([1])),
], ids=["values", "dtypes", "shapes", "strings", "empty", "scalars"])
def test_checksums_differ_and_do_not_depend_on_the_layout(one, other):
    from legacy_towers.data.item_log import checksum_of

    assert checksum_of([one]) != checksum_of([other])
    assert checksum_of([one]) == checksum_of([np.array(one, order="F")])
