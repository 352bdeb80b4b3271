"""Starts a task of a cluster once all tasks are ready and agree. No task trains before that."""
import contextlib
import sys
import threading
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from legacy_towers.cluster.published import Reader, publish
from legacy_towers.cluster.records import (
    FAILED,
    READY,
    REFUSED,
    STARTED,
    Record,
    contradictions,
    other_version_error,
    own_record,
    parse_record,
)
from legacy_towers.cluster.server import start_server
from legacy_towers.cluster.value import EVALUATOR, START_SECONDS, Cluster, Task
from legacy_towers.errors import ClusterError, MissingTaskError
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.text.names import counted, listed

# How long a task waits at most for the others to read its last state.
_LAST_SECONDS = 8.0
# After how long it prints for whom it waits.
_TOLD_SECONDS = 10.0


def start(
    cluster: Cluster,
    job: str = "",
    flags: Optional[Mapping[str, Any]] = None,
    config: Optional[ConfigProto] = None,
    start_seconds: float = START_SECONDS,
    allow_any_interface: bool = False,
) -> Any:
    """Starts the server of this process, waits until all tasks are there, and compares what they run.

    Each task publishes its versions, its job and its flags on its own server, and reads those of the others. `start`
    returns when every task has read all of them, so that no task begins before all are ready. A contradiction is an
    error on every task.

    Args:
      cluster: the tasks, and which of them this process is.
      job: what this process trains; must be the same for all tasks.
      flags: option -> value; must be the same for all tasks.
      config: the devices of the server, such as `lt.session_config(logical_cpus=2)`.
      start_seconds: how long to wait for the other tasks.
      allow_any_interface: whether the server may be reached under all addresses of this machine.

    Returns:
      The tf.train.Server of this process.

    Raises:
      ClusterError: this process can't have a server at its address, or the tasks contradict each other: they have
        different versions, jobs, flags or lists of tasks. The message names the tasks.
      MissingTaskError: a task does not answer in time, or has ended. The message names it.
    """
    if cluster.task_type == EVALUATOR:
        raise ClusterError("{} has no server, and no part in the start of a cluster".format(cluster.task))
    server = start_server(cluster, config, allow_any_interface)
    record = own_record(cluster, job, flags or {})
    publish(server.target, cluster.task, record.as_json())
    with _reading(cluster) as (readers, changed):
        _compare_tasks(server.target, cluster, record, readers, changed, start_seconds)
    return server


def refuse(
    cluster: Cluster, reason: str, start_seconds: float = START_SECONDS, allow_any_interface: bool = False
) -> None:
    """Reports to the other tasks why this one does not start, in place of `start`, which raises the reason there.

    Returns when all have ended or refused too, or after `start_seconds`: at once for an evaluator, and where this
    process can't have a server at its address.

    Args:
      cluster: the tasks, and which of them this process is.
      reason: a sentence.
      start_seconds, allow_any_interface: as for `start`.
    """
    if cluster.task_type == EVALUATOR:
        return
    try:
        server = start_server(cluster, None, allow_any_interface)
    except ClusterError:  # they find out that it is missing
        return
    refused = own_record(cluster, "", {})._replace(state=REFUSED, failure=reason, is_contradiction=True)
    publish(server.target, cluster.task, refused.as_json())
    with _reading(cluster) as (readers, changed):
        deadline = time.monotonic() + start_seconds
        with changed:
            while time.monotonic() < deadline and not all(map(_has_ended, readers)):
                changed.wait(0.2)


def _has_ended(reader: Reader) -> bool:
    """Returns whether a task that was there will not start, or is there no longer."""
    text, error = reader.read()
    record = parse_record(text)
    return text is not None and (bool(error) or record is None or record.state in (FAILED, REFUSED))


@contextlib.contextmanager
def _reading(cluster: Cluster) -> Iterator[Tuple[List[Reader], threading.Condition]]:
    """Reads what the other tasks publish, in threads; what it gives is notified when that changes."""
    changed = threading.Condition()
    readers = [
        Reader(task, cluster.address_of(task), changed) for task in cluster.connected_tasks if task != cluster.task
    ]
    for reader in readers:
        reader.start()
    try:
        yield readers, changed
    finally:
        for reader in readers:
            reader.end()
        for reader in readers:
            reader.wait_until_over()


def _compare_tasks(
    target: str, cluster: Cluster, record: Record, readers: List[Reader], changed: threading.Condition, seconds: float
) -> None:
    """Returns when all tasks have read all records; raises if they don't, after the others have read the reason."""
    deadline = time.monotonic() + seconds
    try:
        # One that has started before it read this task trains with an earlier process of this task, and ends soon.
        records = _wait(cluster.task, readers, changed, deadline, lambda record: record.state != STARTED, seconds)
        records[cluster.task] = record
        found = contradictions(records, cluster.chief)
        if found:
            raise ClusterError("the tasks of the cluster contradict each other:\n  {}".format("\n  ".join(found)))
        publish(target, cluster.task, record._replace(state=READY).as_json())
        _wait(cluster.task, readers, changed, deadline, lambda record: record.state in (READY, STARTED), seconds)
        publish(target, cluster.task, record._replace(state=STARTED).as_json())
        _wait_for_readers(readers, changed, STARTED)
    except (ClusterError, MissingTaskError) as error:
        is_contradiction = isinstance(error, ClusterError)
        failed = record._replace(state=FAILED, failure=str(error), is_contradiction=is_contradiction)
        publish(target, cluster.task, failed.as_json())
        _wait_for_readers(readers, changed, FAILED)
        raise


def _wait(
    task: Task, readers: List[Reader], changed: threading.Condition, deadline: float, is_there: Any, seconds: float
) -> Dict[Task, Record]:
    """Returns the records of all other tasks when `is_there(record)` holds for each.

    Prints for whom this task waits where that takes long.

    Raises:
      MissingTaskError: a task is missing or not in that state at the deadline, or another task has failed for that
        reason.
      ClusterError: an address is that of another task, versions of legacy_towers differ, or another task has reported
        a contradiction.
    """
    told_at = min(time.monotonic() + _TOLD_SECONDS, deadline)
    with changed:
        while True:
            records, of_other_versions = _records(readers)
            for other, record in sorted(records.items()):
                if record.state == REFUSED:
                    # Before records are compared: it has no flags.
                    raise ClusterError("{} does not start: {}".format(other, record.failure))
            missing = [each for each in readers if each.task not in records or not is_there(records[each.task])]
            if not missing:
                return records
            others = [each for each in missing if each.is_other_task]
            if others:
                raise ClusterError(
                    "the server at {}, the address of {}, is that of another task: give all tasks the same list of "
                    "tasks, and each its own index".format(others[0].address, others[0].task)
                )
            for other, record in sorted(records.items()):
                if record.state == FAILED:
                    # The same error on every task: with one exit code, a launcher restarts all of them or none.
                    kind = ClusterError if record.is_contradiction else MissingTaskError
                    raise kind("{} does not start: {}".format(other, record.failure))
            now = time.monotonic()
            if now >= deadline:
                raise _missing(missing, of_other_versions, seconds)
            if now >= told_at:
                told_at = deadline
                sys.stderr.write("legacy_towers: {} waits for {}, {:.0f} seconds more at most\n".format(
                    task, listed(map(_described, missing)), deadline - now
                ))
                sys.stderr.flush()
            changed.wait(told_at - now)


def _records(readers: List[Reader]) -> Any:
    """Returns the records that were read, and the tasks whose text is not a record of this version."""
    records: Dict[Task, Record] = {}
    of_other_versions = []
    for reader in readers:
        text = reader.read()[0]
        record = parse_record(text)
        if record is not None:
            records[reader.task] = record
        elif text is not None:
            of_other_versions.append(reader.task)
    return records, of_other_versions


def _missing(missing: List[Reader], of_other_versions: List[Task], seconds: float) -> Exception:
    if of_other_versions:
        return other_version_error(of_other_versions)
    verb = "is" if len(missing) == 1 else "are"
    return MissingTaskError(
        "{} of the cluster {} not ready after {:g} seconds: {}. Start all tasks within --start-seconds "
        "(start_seconds), and look into their output; can this machine reach their ports?".format(
            counted(len(missing), "task"), verb, seconds, listed(map(_described, missing))
        )
    )


def _described(reader: Reader) -> str:
    """Returns a task with its address, and what is known of it, such as "worker:1 at h1:2222 (no answer)"."""
    text, error = reader.read()
    known = ""
    if error:
        known = " (it was there, and no longer answers)" if text is not None else " ({})".format(reader.trouble)
    else:
        record = parse_record(text)
        if record is not None and record.state == STARTED:
            known = " (it trains already: start all tasks again, not this one alone)"
    return "{} at {}{}".format(reader.task, reader.address, known)


def _wait_for_readers(readers: List[Reader], changed: threading.Condition, state: str) -> None:
    """Waits a short time until all tasks that answer are in `state`: then none has to read this task any more."""
    deadline = time.monotonic() + _LAST_SECONDS
    with changed:
        while time.monotonic() < deadline:
            records, _ = _records(readers)
            answering = [each.task for each in readers if each.task in records and not each.read()[1]]
            # Another task at an address reads nothing there, but finds this out when it connects.
            is_known = all(records[task].state in (state, REFUSED) for task in answering)
            if is_known and not any(each.is_other_task for each in readers):
                return
            changed.wait(0.2)
