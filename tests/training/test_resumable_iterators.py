"""A run continues with iterators that report their own position, and finds those that go on with other examples."""
import json

import numpy as np
import pytest
from resuming import COUNT, ROWS, pipeline, run

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


def loaded(**options):
    loader = Loader()
    return iterated(lambda: loader, **options)


# The pipeline, and the first row that the third session reads: the one that was used last, or the first of its epoch.
RESUMABLE = {
    "in order": (lambda: pipeline("dataset", iterated, shuffle=False), 1),
    "shuffled": (lambda: pipeline("dataset", iterated, seed=3), 0),
    "per device": (lambda: pipeline("dataset:per_device", iterated, shuffle=False), 1),
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


def test_a_position_at_the_end_of_an_epoch_and_of_the_data(tmp_path):
    def make(epochs=2):
        return pipeline("dataset", iterated, shuffle=False, epochs=epochs, remainder="short", per_tower_batch_size=4)

    first = run(make, str(tmp_path), 5)[0]  # 40 examples
    second, resumed, _ = run(make, str(tmp_path), 100)
    assert READ.count(COUNT - 1) == 3  # once more in the second session
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
    ("dataset", Forgets, "yields another item 6 of epoch 1"),
    ("feed", GoesOneFurther, "yields another item 6 of epoch 1"),
    ("feed", Ends, "ends before item 6 of epoch 1"),
    ("dataset", Doubles, "yields another item 6 of epoch 1"),
], ids=["begins again", "one further", "ends", "other values"])
def test_an_iterator_that_goes_on_with_other_examples_is_an_error(name, wrong, message, tmp_path):
    from legacy_towers.compat import tf
    from legacy_towers.errors import UserError

    def make(make_iterator=Rows):
        return pipeline(name, lambda **options: iterated(make_iterator, **options), shuffle=False)

    run(make, str(tmp_path), 1)
    with pytest.raises((UserError, tf.errors.OpError), match=message):
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
