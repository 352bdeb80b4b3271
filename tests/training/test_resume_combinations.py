"""Resuming together with what else a run may do: validate, restore after NaN, skip bad records, change its towers."""
import collections

import numpy as np
import pytest
from resuming import COUNT, ROWS, arrays, pipeline, run


class Switches:
    """Makes switches of two pipelines, and validates with the last one after each step."""

    def __init__(self, train, by="placeholder"):
        self.train, self.by = train, by
        self.switch = None
        self.validated = []

    def __call__(self):
        import legacy_towers as lt

        self.switch = lt.inputs.switch(self.train(), pipeline("dataset:split", shuffle=False), by=self.by)
        return self.switch

    def validate(self, seen, step):
        ids = self.switch.validate([tower.output.predictions for tower in step.towers])
        self.validated.append(np.concatenate(ids).tolist())


@pytest.mark.parametrize("name, by", [
    ("dataset:split", "iterator"), ("feed:background", "placeholder"), ("staged+dataset", "placeholder"),
])
def test_a_switch_resumes_the_training_data_and_begins_again_with_the_validation_data(name, by, tmp_path):
    def make():
        return Switches(lambda: pipeline(name, seed=3), by)

    steps = []
    for until in (3, 7):
        made = make()
        seen, resumed, plan = run(made, str(tmp_path), until, after_step=made.validate)
        steps += seen
        assert plan.resume == "exact" and plan.resume_reason.endswith("the validation data begins again")
        assert made.validated[0] == [0, 1, 2, 3, 4, 5] and len(made.validated) == len(seen)
    assert (resumed.examples, resumed.note) == (18, "")
    # Validation runs change neither the position nor the numbers: here there are none.
    assert steps == run(make(), str(tmp_path / "uninterrupted"), 7)[0]


def test_a_validation_tower_resumes_the_training_data(tmp_path):
    import legacy_towers as lt

    def make():
        return lt.inputs.with_validation_tower(pipeline("dataset", seed=3), pipeline("dataset", shuffle=False))

    first, _, plan = run(make, str(tmp_path), 3)
    second, resumed, _ = run(make, str(tmp_path), 6)
    whole = run(make, str(tmp_path / "uninterrupted"), 6)[0]
    assert plan.resume == "exact" and resumed.examples == 9
    assert [(ids[:3], loss) for ids, loss in first + second] == [(ids[:3], loss) for ids, loss in whole]
    assert [ids[3:] for ids, _ in second] == [ids[3:] for ids, _ in whole[:3]]


def test_restoring_after_a_loss_of_nan_neither_repeats_nor_loses_examples(tmp_path):
    from legacy_towers.data import Examples

    rows = ROWS.copy()
    rows[17] = np.nan  # in steps 3 and 10

    def make():
        examples = Examples.from_arrays({"id": np.arange(COUNT, dtype=np.int64), "x": rows}, shuffle=False)
        return pipeline("dataset", lambda: examples)

    def train(directory, *untils):
        steps = []
        for until in untils:
            steps += run(make, str(tmp_path / directory), until, save_steps=3, on_nan="restore")[0]
        return steps

    steps = train("resumed", 5, 13)
    assert steps == train("whole", 13)
    assert sum((ids for ids, _ in steps), []) == [number % COUNT for number in range(13 * 6)]
    assert [step for step, (_, loss) in enumerate(steps, 1) if np.isnan(np.frombuffer(loss, np.float32))] == [3, 10]


@pytest.mark.parametrize("name, promise", [("dataset", "exact"), ("feed", "exact"), ("queue", "once per epoch")])
def test_skipped_records_are_skipped_again_in_a_resumed_run(name, promise, tmp_path):
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    lines = [str(number) for number in range(COUNT)]
    lines[7] = lines[31] = "damaged"
    (tmp_path / "lines.txt").write_text("\n".join(lines) + "\n")

    def parse(line):
        number = tf.strings.to_number(line, tf.int64)
        return {"id": number, "x": tf.gather(ROWS, number)}

    def make():
        examples = Examples.from_text_lines(str(tmp_path / "lines.txt"), parse, seed=3).skip_bad_records(2)
        made.append(examples)
        return pipeline(name, lambda: examples, per_tower_batch_size=2, epochs=2, remainder="short")

    made = []
    steps = []
    for until in (3, 8, 1000):
        seen, resumed, plan = run(make, str(tmp_path / "run"), until)
        assert plan.resume == promise
        steps += seen
    assert made[-1].skipped.count == 2
    ids = collections.Counter(sum((ids for ids, _ in steps), []))
    if name == "queue":  # whose position is by the number of the line
        assert sorted(ids.values()) == [2] * (COUNT - 2)
        return
    assert ids == {number: 2 for number in range(COUNT) if number not in (7, 31)}
    assert resumed.examples == 32
    assert steps == run(make, str(tmp_path / "uninterrupted"), 1000)[0]


def test_shuffled_shards_of_another_number_of_towers_begin_again_and_say_so(tmp_path):
    def make():
        return pipeline("dataset:sharded", arrays, seed=3)

    run(make, str(tmp_path), 2)
    with pytest.warns(UserWarning, match="the input begins again"):
        steps, resumed, _ = run(make, str(tmp_path), 4, towers=4)
    assert resumed.examples == 0 and resumed.note.startswith("the input begins again at example 1 of epoch 1, because")
    assert "in equal shards for 2 towers, and this is" in resumed.note
    assert "in equal shards for 4 towers" in resumed.note
    assert [ids for ids, _ in steps] == [ids for ids, _ in run(make, str(tmp_path / "new"), 2, towers=4)[0]]
    steps, resumed, _ = run(make, str(tmp_path), 5, towers=4)
    assert (resumed.examples, resumed.note) == (24, "")
