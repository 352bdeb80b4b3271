"""What each task of a cluster publishes about itself before the start, and the contradictions between tasks."""
import json
import sys
import uuid
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.cluster.value import Cluster, Task
from legacy_towers.errors import ClusterError
from legacy_towers.text.names import listed
from legacy_towers.version import VERSION

# What must be the same for all tasks, and is not an option.
JOB_FILE, CHECKPOINT = "the checksum of the job's file", "the newest checkpoint, of step"
_ADVICE = {
    JOB_FILE: "give all tasks the same job file",
    CHECKPOINT: "give all tasks a --checkpoint-dir that all can read",
}
PRESENT, READY, STARTED, FAILED, REFUSED = "present", "ready", "started", "failed", "refused"


class Record(NamedTuple):
    """What a task publishes.

    Attributes:
      task: the task that the process takes itself for, such as "worker:1".
      tensorflow: the version of TensorFlow.
      legacy_towers: the version of legacy_towers.
      python: the version of Python, for messages.
      jobs: the tasks of its cluster: job -> addresses.
      job: what it is to train; the same for all tasks.
      flags: option -> value, as text; the same for all tasks.
      state: PRESENT: it reads the others' records; READY: it has read all, and agrees; STARTED: it has read that all
        are ready; FAILED: it will not start; REFUSED: it will not either, and has not read the others' records.
      failure: with FAILED and REFUSED, the reason.
      is_contradiction: with FAILED, whether tasks contradict each other; else one is missing.
      run: which process of the task this is: another one after a restart.
      finished: of a parameter server: the names of the workers that have finished, separated by spaces.
    """

    task: str
    tensorflow: str
    legacy_towers: str
    python: str
    jobs: Dict[str, List[str]]
    job: str
    flags: Dict[str, str]
    state: str = PRESENT
    failure: str = ""
    is_contradiction: bool = False
    run: str = ""
    finished: str = ""

    def as_json(self) -> str:
        """Returns the record as JSON."""
        return json.dumps(self._asdict(), sort_keys=True)


def own_record(cluster: Cluster, job: str, flags: Mapping[str, Any]) -> Record:
    """Returns the record of this process."""
    from legacy_towers.compat import tf

    return Record(
        str(cluster.task), tf.__version__, VERSION, "{}.{}.{}".format(*sys.version_info[:3]), cluster.to_dict(), job,
        {name: str(value) for name, value in flags.items() if value is not None}, run=uuid.uuid4().hex,
    )


def parse_record(text: Optional[bytes]) -> Optional[Record]:
    """Returns the record of a JSON text; None if there is no text, or another version, with other fields, wrote it."""
    if text is None:
        return None
    try:
        return Record(**json.loads(text.decode("utf-8")))
    except (TypeError, ValueError):
        return None


def other_version_error(tasks: Sequence[Task]) -> ClusterError:
    """Returns the error where the records of `tasks`, at least one, are of another version."""
    return ClusterError("{} another version of legacy_towers: install the same for all tasks".format(
        "{} has".format(tasks[0]) if len(tasks) == 1 else "{} have".format(listed(map(str, tasks)))
    ))


def contradictions(records: Mapping[Task, Record], chief: Task) -> List[str]:
    """Returns a sentence for each contradiction between tasks; the same list on every task that has all records.

    Args:
      records: what each task published.
      chief: the task that the others are compared with.
    """
    found = []
    for task, record in sorted(records.items()):
        if record.task != str(task):
            found.append("the process at the address of {} takes itself for {}".format(task, record.task))
    for what, advice in (
        ("tensorflow", "install the same TensorFlow for all tasks"),
        ("legacy_towers", "install the same legacy_towers for all tasks"),
        ("jobs", "give all tasks the same list of tasks"),
        ("job", "start the same job on all tasks"),
    ):
        expected = getattr(records[chief], what)
        others = [(task, getattr(record, what)) for task, record in sorted(records.items())]
        different = [(task, value) for task, value in others if value != expected]
        if different:
            found.append("{}, and {} has {}: {}".format(
                listed("{} has {}".format(task, _described(what, value)) for task, value in different), chief,
                _described(what, expected), advice,
            ))
    return found + _different_flags(records, chief)


def _different_flags(records: Mapping[Task, Record], chief: Task) -> List[str]:
    expected = records[chief].flags
    found = []
    for name in sorted({name for record in records.values() for name in record.flags}):
        different: List[Tuple[Task, Optional[str]]] = [
            (task, record.flags.get(name)) for task, record in sorted(records.items())
            if record.flags.get(name) != expected.get(name)
        ]
        if different:
            found.append("{}, and {} has {}: {}".format(
                listed("{} has {}".format(task, _flag(name, value)) for task, value in different), chief,
                _flag(name, expected.get(name)), _ADVICE.get(name, "start all tasks with the same flags"),
            ))
    return found


def _flag(name: str, value: Optional[str]) -> str:
    return "no {}".format(name) if value is None else "{} {}".format(name, value)


def _described(what: str, value: Any) -> str:
    if what == "jobs":
        tasks = ["{}: {}".format(job, ", ".join(addresses)) for job, addresses in sorted(value.items())]
        return "the tasks {}".format("; ".join(tasks))
    names = {"tensorflow": "TensorFlow {}", "legacy_towers": "legacy_towers {}", "job": "the job {!r}"}
    return names[what].format(value)
