"""What an evaluator knows of the training: whether the chief has started, trains the same job, and still answers."""
import threading
import time
from typing import Any, Callable, Mapping, Optional

from legacy_towers.cluster.published import Reader
from legacy_towers.cluster.records import (
    FAILED,
    REFUSED,
    STARTED,
    Record,
    contradictions,
    other_version_error,
    own_record,
    parse_record,
)
from legacy_towers.cluster.value import Cluster
from legacy_towers.cluster.watch import Watch
from legacy_towers.errors import ClusterError, MissingTaskError

_POLL_SECONDS = 0.2


def wait_for_chief(
    cluster: Cluster, job: str, flags: Mapping[str, Any], seconds: float, is_over: Callable[[], bool]
) -> Optional[Watch]:
    """Waits until all tasks that train have started, compares what they run, and returns what watches the chief.

    An evaluator has no server, and nobody waits for it.

    Args:
      cluster: the tasks; this process is an evaluator.
      job: what this process evaluates; must be what the chief trains.
      flags: option -> value; must be the same for the chief, which has others besides.
      seconds: how long to wait for the chief.
      is_over: whether the training has ended.

    Returns:
      The watch, which has started; None if the training had ended, and the chief with it, before this process began.

    Raises:
      ClusterError: the chief has another version, job or flag, or the training does not start.
      MissingTaskError: the chief does not answer in time.
    """
    changed = threading.Condition()
    reader = Reader(cluster.chief, cluster.address_of(cluster.chief), changed)
    reader.start()
    try:
        record = _started(reader, changed, time.monotonic() + seconds)
    finally:
        reader.end()
        reader.wait_until_over()
    if record is None:
        if is_over():
            return None
        raise MissingTaskError(
            "{} at {} does not train after {:g} seconds{}: start all tasks within --start-seconds (start_seconds), and "
            "look into its output; can this machine reach its port?".format(
                reader.task, reader.address, seconds, _last_error(reader)
            )
        )
    given = {name: str(value) for name, value in flags.items() if value is not None}
    own = own_record(cluster, job, dict(record.flags, **given))
    found = contradictions({cluster.chief: record, cluster.task: own}, cluster.chief)
    if found:
        raise ClusterError("{} contradicts the chief:\n  {}".format(cluster.task, "\n  ".join(found)))
    watch = Watch(cluster, tasks=[cluster.chief])
    watch.start()
    return watch


def _started(reader: Reader, changed: threading.Condition, deadline: float) -> Optional[Record]:
    """Returns the chief's record when it trains; None if it does not until the deadline."""
    with changed:
        while time.monotonic() < deadline:
            text = reader.read()[0]
            record = parse_record(text)
            if text is not None and record is None:
                raise other_version_error([reader.task])
            if record is not None and record.state in (FAILED, REFUSED):
                kind = ClusterError if record.is_contradiction else MissingTaskError
                raise kind("{} does not start: {}".format(reader.task, record.failure))
            if record is not None and record.state == STARTED:
                return record
            changed.wait(_POLL_SECONDS)
    return None


def _last_error(reader: Reader) -> str:
    return " ({})".format(reader.trouble) if reader.trouble else ""
