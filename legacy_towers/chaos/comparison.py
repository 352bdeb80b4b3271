"""Compares a disturbed run with one that nobody disturbed, by what both recorded."""
import collections
from typing import Callable, Counter, Iterable, List, NamedTuple

from legacy_towers.chaos.faults import FAULTS
from legacy_towers.chaos.recording import Attempt, Session, Step, path_until
from legacy_towers.inputs.position import EXACT, ONCE
from legacy_towers.step.random_model import LOSSES_DIFFER
from legacy_towers.text.names import listed

# Threads that read an epoch's end and the next one's beginning overtake each other by less than this.
_OVERTAKING = 64


class Finding(NamedTuple):
    """A broken promise.

    Attributes:
      kind: "lost", "repeated", "order", "trajectory", "position", "steps", "exit code", "message", "checkpoint" or
        "files".
      text: one sentence without a period.
      size: how many examples or steps it is about; else 1.
    """

    kind: str
    text: str
    size: int = 1


def compare(
    reference: List[Session], attempts: List[Attempt], last_step: int, name_of: Callable[[int], str]
) -> List[Finding]:
    """Returns all broken promises of a run.

    Args:
      reference: the sessions of the run that was not disturbed.
      attempts: the processes of the run, the last of which has trained to the end.
      name_of: describes the example with an id.
    """
    findings = check_attempts(attempts, last_step)
    sessions = [session for attempt in attempts for session in attempt.sessions]
    findings += check_steps(sessions, last_step)
    expected, path = path_until(reference), path_until(sessions)
    promise = reference[0].resume
    if promise == EXACT:
        findings += check_exact(expected, path, name_of)
        if LOSSES_DIFFER not in reference[0].reason:
            findings += check_trajectory(expected, path)
    elif promise == ONCE and any(step.reads for step in expected):
        findings += check_once(reference, sessions, name_of)
    elif promise == ONCE:  # in a fixed order, with values that differ
        findings += check_exact(expected, path, name_of)
    return findings


def check_attempts(attempts: List[Attempt], last_step: int) -> List[Finding]:
    """Returns what the processes did not do: the right exit code, the message of the fault, order in the directory."""
    findings = []
    for number, attempt in enumerate(attempts, 1):
        process = "process {}".format(number)
        reached = max([step.step for session in attempt.sessions for step in session.steps], default=0)
        if attempt.code is None:
            findings.append(Finding("exit code", "{} hung and was ended".format(process)))
        elif attempt.recorded is None or attempt.fault is None:
            if attempt.code != 0:
                findings.append(Finding("exit code", "{}, to which nothing happened, ended with {}: {}".format(
                    process, attempt.code, _last_line(attempt.log)
                )))
        else:
            fault = FAULTS[attempt.fault]
            codes = list(fault.codes_of(attempt.plan))
            if fault.loses_no_step and reached == last_step:  # it came after the last step
                codes += [0] + [128 - code for code in codes]
            if attempt.code not in codes:
                findings.append(Finding("exit code", "{} ({}) ended with {}, not with {}: {}".format(
                    process, fault.describe(attempt.plan), attempt.code, " or ".join(map(str, codes)),
                    _last_line(attempt.log),
                )))
            problem = fault.problem(attempt.plan, attempt.recorded, attempt.log)
            if problem:
                findings.append(Finding("message", "{} ({}): {}".format(
                    process, fault.describe(attempt.plan), problem
                )))
            after = [session for other in attempts[number:] for session in other.sessions]
            if fault.loses_no_step and after and after[0].begin < reached:
                findings.append(Finding("steps", "{} ({}) had computed step {}, and the next one began after {}".format(
                    process, fault.describe(attempt.plan), reached, after[0].begin
                )))
            bad = attempt.recorded.get("bad_step")
            if bad is not None and after and after[0].begin >= bad:
                findings.append(Finding("checkpoint", "{} ({}): checkpoint {} has what that step did".format(
                    process, fault.describe(attempt.plan), after[0].begin
                )))
        findings += [Finding(kind, "after {}: {}".format(process, text)) for kind, text in attempt.problems]
    return findings


def check_steps(sessions: List[Session], last_step: int) -> List[Finding]:
    """Returns the gaps in the steps that count, and positions that do not count the examples of the steps before."""
    findings = []
    for number, session in enumerate(sessions):
        before = path_until(sessions[:number])
        used = sum(len(step.ids) for step in before if step.step <= session.begin)
        if session.examples is not None and session.resume in (EXACT, ONCE) and session.examples != used:
            findings.append(Finding("position", (
                "the checkpoint of step {} has a position after {:,} examples, and its steps used {:,}".format(
                    session.begin, session.examples, used
                )
            ), abs(session.examples - used)))
    numbers = [step.step for step in path_until(sessions)]
    missing = sorted(set(range(1, last_step + 1)) - set(numbers))
    if missing:
        findings.append(Finding("steps", "{} never computed: {}".format(
            "1 step was" if len(missing) == 1 else "{} steps were".format(len(missing)), _some(map(str, missing))
        ), len(missing)))
    return findings


def check_exact(expected: List[Step], path: List[Step], name_of: Callable[[int], str]) -> List[Finding]:
    """Returns which examples were lost, repeated or in another step or order than in the reference."""
    wanted = collections.Counter(number for step in expected for number in step.ids)
    used = collections.Counter(number for step in path for number in step.ids)
    findings = _lost_and_repeated(wanted - used, used - wanted, name_of)
    if not findings:
        by_step = {step.step: step.ids for step in path}
        other = [step.step for step in expected if by_step.get(step.step) != step.ids]
        if other:
            findings.append(Finding("order", "from step {} on, the examples come in another order".format(other[0])))
    return findings


def check_trajectory(expected: List[Step], path: List[Step]) -> List[Finding]:
    """Returns the first step whose loss has other bits than in the reference."""
    by_step = {step.step: step.loss for step in path}
    other = [step.step for step in expected if by_step.get(step.step, step.loss) != step.loss]
    if not other:
        return []
    return [Finding("trajectory", "the loss of {} of {} steps has other bits, first that of step {}".format(
        len(other), len(expected), other[0]
    ), len(other))]


def check_once(reference: List[Session], sessions: List[Session], name_of: Callable[[int], str]) -> List[Finding]:
    """Returns which examples were lost or repeated by an input whose order depends on threads.

    What it reads is read once in each epoch, and used later: queues may hold an epoch and more. So in each session,
    the number of times an example was used before plus those it was read since differs between no two examples by more
    than in the reference (by one, where epochs follow each other), and nothing is used that was not read.
    """
    epoch = reference[0].epoch
    if epoch is None:
        return []
    allowed = max([1] + [_spread(counts) for counts in _counts_of(reference, 0, epoch)])
    findings: List[Finding] = []
    for number, session in enumerate(sessions):
        used = collections.Counter(each for step in session.steps for each in step.ids)
        read = collections.Counter(each for step in session.steps for each in step.reads) + collections.Counter(
            session.last_reads
        )
        findings += _lost_and_repeated(collections.Counter(), used - read, name_of)
        counts = _counts_of(sessions[:number] + [session], number, epoch)
        if counts and _spread(counts[-1]) > allowed:
            rounds = sum(counts[-1].values()) // epoch
            lost = collections.Counter({each: rounds - n for each, n in counts[-1].items() if n < rounds})
            often = collections.Counter({
                each: n - rounds - 1 for each, n in counts[-1].items() if n > rounds + 1
            })
            findings += _lost_and_repeated(lost, often, name_of) or [Finding("repeated", (
                "some examples were read {} times more than others".format(_spread(counts[-1]))
            ))]
    return findings


def _counts_of(sessions: List[Session], number: int, epoch: int) -> "List[Counter[int]]":
    """Returns how often each example was used before a session or read in it, at steps away from an epoch's end."""
    session = sessions[number]
    before = path_until(sessions[:number])
    counts = collections.Counter(each for step in before if step.step <= session.begin for each in step.ids)
    known = {each for step in path_until(sessions) for each in step.ids + step.reads}
    found = []
    slack = min(_OVERTAKING, epoch // 4)
    for step in session.steps:
        counts.update(step.reads)
        total = sum(counts.values())
        if total >= epoch and slack <= total % epoch <= epoch - slack:
            whole = collections.Counter({each: counts.get(each, 0) for each in known})
            # Examples that nobody has seen are lost too: they have no id here.
            whole.update({-1 - missing: 0 for missing in range(max(0, epoch - len(known)))})
            found.append(whole)
    return found


def _spread(counts: "Counter[int]") -> int:
    return max(counts.values()) - min(counts.values())


def _lost_and_repeated(
    lost: "Counter[int]", repeated: "Counter[int]", name_of: Callable[[int], str]
) -> List[Finding]:
    findings = []
    for kind, counts in (("lost", lost), ("repeated", repeated)):
        total = sum(counts.values())
        if total:
            names = [name_of(number) if number >= 0 else "one without an id" for number in sorted(counts)]
            findings.append(Finding(kind, "{:,} example{} {} {}: {}".format(
                total, "" if total == 1 else "s", "was" if total == 1 else "were", kind, _some(names)
            ), total))
    return findings


def _some(names: Iterable[str], most: int = 3) -> str:
    texts = list(names)
    return listed(texts[:most] + (["{:,} more".format(len(texts) - most)] if len(texts) > most else []))


def _last_line(log: str) -> str:
    lines = [line for line in log.splitlines() if line.strip()]
    return lines[-1] if lines else "it printed nothing"
