"""What processes recorded of a run: their sessions, the steps, and the steps that count at the end."""
import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple


class Step(NamedTuple):
    """A step as it was applied.

    Attributes:
      step: the global step after it.
      loss: the bytes of its loss, as hexadecimal digits.
      ids: of the examples of all towers, in their order.
      reads: of the examples that the input read since the step before; [] if that is not recorded.
      time: when it ended, in seconds of a clock.
    """

    step: int
    loss: str
    ids: List[int]
    reads: List[int]
    time: float = 0.0


class Session(NamedTuple):
    """A session of a process.

    Attributes:
      begin: the global step that was restored.
      examples: the examples used before, by the position of the input; None if it has none.
      resume: the promise of the input.
      reason: why.
      epoch: the number of examples of an epoch, if it is known.
      steps: its steps.
      last_reads: what the input read after the last step.
    """

    begin: int
    examples: Optional[int]
    resume: str
    reason: str
    epoch: Optional[int]
    steps: List[Step]
    last_reads: List[int]


class Attempt(NamedTuple):
    """A process.

    Attributes:
      fault: the name of its fault; None without one.
      plan: how the fault happens.
      recorded: what the fault recorded when it happened; None if it did not.
      code: the exit code; None if the process had to be ended because it hung.
      log: its standard error.
      sessions: its sessions.
      seconds: how long it ran.
      problems: (kind, sentence) for what was found in the directory after it.
    """

    fault: Optional[str]
    plan: Dict[str, Any]
    recorded: Optional[Dict[str, Any]]
    code: Optional[int]
    log: str
    sessions: List[Session]
    seconds: float
    problems: List[Tuple[str, str]]


def sessions_of(lines: List[bytes]) -> Tuple[List[Session], Optional[Dict[str, Any]]]:
    """Returns the sessions of a process and what its fault recorded, from its records; a torn last line is left out."""
    sessions: List[Session] = []
    recorded: Optional[Dict[str, Any]] = None
    for line in lines:
        if not line.endswith(b"\n"):
            continue
        record = json.loads(line.decode("ascii"))
        kind = record.pop("kind")
        if kind == "begin":
            sessions.append(Session(
                record["step"], record["examples"], record["resume"], record["reason"], record["epoch"], [], []
            ))
        elif kind == "step":
            sessions[-1].steps.append(Step(**record))
        elif kind == "end":
            sessions[-1].last_reads.extend(record["reads"])
        else:
            recorded = record
    return sessions, recorded


def path_until(sessions: List[Session]) -> List[Step]:
    """Returns the steps that count: those after a restored checkpoint take the place of earlier ones.

        first session    1 2 3 4 5 6 7         saved at 5, killed after 7
        second session             6 7 8 9
        path             1 2 3 4 5 6 7 8 9     steps 6 and 7 of the second session

    Where steps are missing between two sessions, the path has a gap.
    """
    path: List[Step] = []
    for session in sessions:
        path = [step for step in path if step.step <= session.begin] + session.steps
    return path


def repeated_steps(sessions: List[Session]) -> int:
    """Returns how many steps were computed again."""
    return sum(len(session.steps) for session in sessions) - len(path_until(sessions))
