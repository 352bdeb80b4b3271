"""The comparison of disturbed runs finds each planted loss, repetition, wrong bit, exit code and file."""
import json
import random
import signal

import pytest

from legacy_towers.chaos.comparison import compare
from legacy_towers.chaos.faults import FAULTS, parse_faults
from legacy_towers.chaos.faults.base import Shape
from legacy_towers.chaos.recording import Attempt, Session, Step, path_until, repeated_steps, sessions_of
from legacy_towers.chaos.report import as_values, describe, describe_run
from legacy_towers.chaos.runs import ChaosSettings, DisturbedRun, Outcome
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.position import EXACT, ONCE
from legacy_towers.step.random_model import LOSSES_DIFFER

EPOCH = 20


def steps(first, last, **changed):
    """Returns steps of 4 examples in order; `changed` has fields of the step `at`."""
    at = changed.pop("at", None)
    made = [
        Step(number, "{:08x}".format(number), [(4 * number + each) % EPOCH for each in range(-4, 0)], [])
        for number in range(first, last + 1)
    ]
    return [each._replace(**changed) if each.step == at else each for each in made]


def session(begin, made, resume=EXACT, reason="", examples=None, last_reads=()):
    return Session(begin, 4 * begin if examples is None else examples, resume, reason, EPOCH, made, list(last_reads))


def attempt(sessions, code=0, fault=None, plan=None, recorded=None, log="", problems=()):
    return Attempt(fault, plan or {}, recorded, code, log, sessions, 1.0, list(problems))


KILL = dict(code=-signal.SIGKILL, fault="kill", plan={"step": 5, "seconds": 0.0}, recorded={})
REFERENCE = [session(0, steps(1, 10))]


def found(attempts, reference=REFERENCE, last_step=10):
    return compare(reference, attempts, last_step, "row {}".format)


def killed_and_resumed(second=None, begin=4, examples=None):
    """Returns a run that was saved at step 4, killed after 6, and resumed."""
    second = steps(5, 10) if second is None else second
    return [attempt([session(0, steps(1, 6))], **KILL), attempt([session(begin, second, examples=examples)])]


def test_a_run_that_was_killed_and_resumed_has_no_findings():
    run = killed_and_resumed()
    assert found(run) == []
    sessions = [each for one in run for each in one.sessions]
    assert [step.step for step in path_until(sessions)] == list(range(1, 11))
    assert repeated_steps(sessions) == 2


TERM = dict(fault="signal", plan={"step": 5, "signal": "SIGTERM", "seconds": 0.0}, recorded={})
DISK = dict(fault="disk", plan={"step": 5, "bytes": 0}, recorded={})
CORRUPT = dict(fault="records", plan={"step": 5, "read": 9}, recorded={"files": ["a.tfrecords"]})
CORRUPT_LOG = (
    "legacy-towers: error: a.tfrecords, record 7 (byte 4,096): ValueError: this record is corrupt: legacy-towers chaos "
    "has made it so"
)
THREAD = dict(fault="threads", plan={"step": 5, "read": 9}, recorded={})
NAN = dict(fault="nan", plan={"step": 6}, recorded={"bad_step": 6})
NAN_LOG = "the loss of tower 0 is NaN at global step 6"


def two(**first):
    """Returns a run whose first process ended as given after step 6, and whose second went on from there."""
    return [attempt([session(0, steps(1, 6))], **first), attempt([session(6, steps(7, 10))])]


def saved_before(**first):
    """Returns the same, but the second process began after step 4."""
    return [two(**first)[0], killed_and_resumed()[1]]


@pytest.mark.parametrize("run, kinds, text", [
    (killed_and_resumed(steps(5, 10, at=8, ids=[8, 9, 10, 10])), ["lost", "repeated"], "1 example was lost: row 11"),
    (killed_and_resumed(steps(5, 10, at=8, ids=[8, 9, 10])), ["lost"], "1 example was lost: row 11"),
    (killed_and_resumed(steps(5, 10, at=8, ids=[8, 9, 10, 11, 3])), ["repeated"], "1 example was repeated: row 3"),
    (killed_and_resumed(steps(5, 10, at=8, ids=[9, 8, 10, 11])), ["order"], "from step 8 on"),
    (killed_and_resumed(steps(5, 10, at=8, loss="00000009")), ["trajectory"], "1 of 10 steps has other bits, first"),
    (killed_and_resumed(examples=20), ["position"], "after 20 examples, and its steps used 16"),
    (killed_and_resumed(steps(5, 9)), ["steps", "lost"], "1 step was never computed: 10"),
    (killed_and_resumed(steps(8, 10), 7, 28), ["position", "steps", "lost"], "1 step was never computed: 7"),
    ([attempt([session(0, steps(1, 10))], code=1, log="a\nError: b\n")], ["exit code"], "ended with 1: Error: b"),
    (two(code=None, **TERM), ["exit code"], "process 1 hung"),
    (two(code=0, **TERM), ["exit code"], "SIGTERM 0.0 ms after step 5) ended with 0, not with 143"),
    ([attempt([session(0, steps(1, 6))], code=143, **TERM), killed_and_resumed()[1]],
     ["steps"], "had computed step 6, and the next one began after 4"),
    (two(code=1, log="No space", **DISK), ["message"], "does not say that a checkpoint can't be written"),
    (two(code=1, log=CORRUPT_LOG.replace("a.t", "b.t"), **CORRUPT), ["message"],
     "does not name the file and the record"),
    (two(code=1, log="killed", **dict(CORRUPT, recorded={"files": []})), ["message"], "that an example can't be read"),
    (two(code=1, log="queue is closed", **THREAD), ["message"], "the error of the thread is not reported"),
    (two(code=1, log=NAN_LOG, **NAN), ["checkpoint"], "checkpoint 6 has what that step did"),
    (saved_before(code=1, log="NaN at global step 5", **NAN), ["message"], "does not name a loss of NaN at step 6"),
    (two(code=-9, problems=[("checkpoint", "the checkpoint x can't be loaded: y")], **{
        key: KILL[key] for key in ("fault", "plan", "recorded")
    }), ["checkpoint"], "after process 1: the checkpoint x can't be loaded"),
    (two(code=143, problems=[("files", "'training.lock' is left")], **TERM), ["files"], "'training.lock' is left"),
], ids=lambda each: "+".join(each) if isinstance(each, list) and isinstance(each[0], str) else None)
def test_a_planted_fault_is_found(run, kinds, text):
    findings = found(run)
    assert [each.kind for each in findings] == kinds
    assert any(text in each.text for each in findings), findings
    outcome = Outcome(ChaosSettings("job.py", {}, [], 10, "feed", list(FAULTS), 1, 0), run[0], [
        DisturbedRun(run, findings)
    ], True)
    assert not outcome.keeps_its_promises
    assert "promises were broken in 1 of 1 runs" in describe(outcome)
    assert describe_run(1, outcome.runs[0]).startswith("run 1   BROKEN")
    values = json.loads(json.dumps(as_values(outcome)))
    assert values["promises_kept"] is False and all(values["counts"][kind] for kind in kinds)


@pytest.mark.parametrize("run", [
    two(code=143, **TERM),
    two(code=1, log="the checkpoint of step 8 can't be written to run: No space left", **DISK),
    two(code=1, log=CORRUPT_LOG, **CORRUPT),
    two(code=1, log="RuntimeError: legacy-towers chaos ends this thread of the input", **THREAD),
    saved_before(code=1, log=NAN_LOG, **NAN),
    # The signal came after the last step: nothing was left to be saved.
    [attempt([session(0, steps(1, 10))], code=0, **TERM), attempt([])],
], ids=["signal", "disk", "records", "threads", "nan", "signal after the end"])
def test_what_is_documented_is_no_finding(run):
    assert found(run) == []


def test_losses_are_not_compared_where_the_plan_says_that_they_differ():
    run = killed_and_resumed(steps(5, 10, at=8, loss="00000009"))
    assert found(run, [session(0, steps(1, 10), reason="dropout, " + LOSSES_DIFFER)]) == []


def queued(order, ahead=6, number=1):
    """Returns steps of 4 examples of a queue that has read `ahead` more."""
    made, taken = [], 0
    for step in range(number, number + len(order) // 4 - 2):
        used = order[4 * (step - number) : 4 * (step - number) + 4]
        read = order[taken : 4 * (step - number + 1) + ahead]
        taken = 4 * (step - number + 1) + ahead
        made.append(Step(step, "", used, read))
    return made


def shuffled(seed, without=()):
    """Returns three epochs in random orders, the first one without some examples."""
    source = random.Random(seed)
    epochs = [source.sample(range(EPOCH), EPOCH) for _ in range(3)]
    return [each for each in epochs[0] if each not in without] + epochs[1] + epochs[2]


@pytest.mark.parametrize("without, kinds", [
    (lambda used: used, []),
    (lambda used: used[1:], ["repeated"]),
    (lambda used: used + [min(set(range(EPOCH)) - set(used))], ["lost"]),
    (lambda used: [], ["repeated"]),
], ids=["right", "one repeated", "one lost", "begins again"])
def test_an_input_without_a_fixed_order_reads_each_example_once_per_epoch(without, kinds):
    first = session(0, queued(shuffled(1))[:3], ONCE)
    used = [number for step in first.steps for number in step.ids]
    second = session(3, queued(shuffled(2, without(used)), number=4)[:11], ONCE)
    last = second.steps[-1].step
    reference = [session(0, queued(shuffled(3))[:13], ONCE)]
    findings = found([attempt([first], **KILL), attempt([second])], reference, last)
    assert [each.kind for each in findings] == kinds, findings


def test_an_example_that_a_step_uses_twice_without_a_second_read_is_repeated():
    run = session(0, queued(shuffled(1))[:13], ONCE)
    run.steps[12].ids[0] = next(each for each in range(EPOCH) if [
        number for step in run.steps for number in step.reads
    ].count(each) == sum(step.ids.count(each) for step in run.steps))
    findings = found([attempt([run])], [session(0, queued(shuffled(3))[:13], ONCE)], 13)
    assert [each.kind for each in findings] == ["repeated"]


def test_a_torn_record_is_left_out():
    begin = {"kind": "begin", "step": 3, "examples": 12, "resume": EXACT, "reason": "", "epoch": None}
    step = {"kind": "step", "step": 4, "loss": "00", "ids": [1], "reads": []}
    lines = [json.dumps(each).encode() + b"\n" for each in (begin, step, {"kind": "fault"})]
    sessions, recorded = sessions_of(lines + [lines[1][:-5]])
    assert sessions == [Session(3, 12, EXACT, "", None, [Step(4, "00", [1], [])], [])] and recorded == {}


@pytest.mark.parametrize("name", FAULTS)
def test_a_seed_decides_how_a_fault_happens(name):
    fault, shape = FAULTS[name], Shape(40, 8, 0.1)
    plans = [fault.draw(random.Random(seed), shape, 7) for seed in (1, 1)]
    assert plans[0] == plans[1] == json.loads(json.dumps(plans[0]))
    assert fault.describe(plans[0]) and fault.codes_of(plans[0])


def test_faults_are_parsed():
    assert parse_faults("nan, kill,nan") == ["nan", "kill"]
    for text, message in (("kill,flood", "there is no 'flood'"), (" ,", "none is given")):
        with pytest.raises(ArgumentError, match=message + ".*the faults are kill, signal"):
            parse_faults(text)
