"""The end of a parameter server: it runs until all workers have reported that they have finished, or one is lost."""
import time
from typing import Any, List, Set

from legacy_towers.cluster.parameter_servers import server_devices
from legacy_towers.cluster.published import publish, published, session_on
from legacy_towers.cluster.records import parse_record
from legacy_towers.cluster.value import PARAMETER_SERVER, Cluster, Task
from legacy_towers.cluster.watch import Silent, Watch
from legacy_towers.compat import tf
from legacy_towers.errors import ClusterError, MissingTaskError

_NAME = "legacy_towers_finished"
_POLL_SECONDS = 0.2
_CALL_SECONDS = 5.0
# The workers decide how long one of them may not answer, and end then: a parameter server notices that.
_SILENT_SECONDS = 120.0
# The workers need this time to report the lost task before this server ends too.
_LEAVING_SECONDS = 2.0


def serve(cluster: Cluster, server: Any) -> None:
    """Waits until all workers have finished; for the task of a parameter server.

    Publishes which workers have finished, so that the others don't report them as lost.

    Args:
      cluster: the tasks, and which of them this process is.
      server: what `lt.cluster.start` returned.

    Raises:
      ClusterError: this process is not a parameter server.
      MissingTaskError: another task has ended before its work, or does not answer any more; names it.
    """
    if cluster.task_type != PARAMETER_SERVER:
        raise ClusterError(
            "this process is {}, not a parameter server: call lt.cluster.serve only where cluster.task_type is "
            "{!r}".format(cluster.task, PARAMETER_SERVER)
        )
    expected = {str(task) for task in cluster.training_tasks}
    found: Set[str] = set()
    graph, queue = _graph(cluster, cluster.task_index)
    with graph.as_default():
        size, name = queue.size(), queue.dequeue()
    config = tf.ConfigProto(device_filters=[cluster.task.device])
    watch = Watch(cluster, _SILENT_SECONDS)
    watch.start()
    lost: List[Silent] = []
    lost_since = 0.0
    try:
        with tf.Session(server.target, graph=graph, config=config) as session:
            while not expected <= found:
                if session.run(size):
                    found.add(session.run(name).decode("utf-8"))
                    publish_finished(cluster, server, found)
                    continue
                # Not in one run that waits: a signal would not be noticed in it.
                time.sleep(_POLL_SECONDS)
                if not lost:
                    lost = [each for each in watch.silent() if each.is_missing and str(each.task) not in found]
                    lost_since = time.monotonic()
                elif time.monotonic() - lost_since >= _LEAVING_SECONDS:
                    # Names only the tasks that were lost first; the others have ended because of them.
                    raise MissingTaskError("{} waits for {}".format(cluster.task, " and ".join(map(str, lost))))
    finally:
        # The workers end now, and a call to one of them can take seconds: nobody has to wait for that.
        watch.end()


def publish_finished(cluster: Cluster, server: Any, names: Set[str]) -> None:
    """Publishes on this parameter server that the tasks of these names have finished: their `finish` waits for it."""
    record = parse_record(published(server.target, cluster.task))
    if record is not None:
        publish(server.target, cluster.task, record._replace(finished=" ".join(sorted(names))).as_json())


def finish(cluster: Cluster) -> None:
    """Reports to all parameter servers that this worker has finished; does nothing where there are none.

    `legacy-towers train` calls it, and so does `lt.training.session` when it is left.
    """
    for index in range(cluster.parameter_servers):
        graph, queue = _graph(cluster, index)
        with graph.as_default():
            enqueue = queue.enqueue(str(cluster.task))
        task = Task(PARAMETER_SERVER, index)
        # Directly on its server: this worker's own session has been closed.
        config = tf.ConfigProto(device_filters=[task.device], operation_timeout_in_ms=int(_CALL_SECONDS * 1000))
        try:
            with session_on("grpc://" + cluster.address_of(task), graph, config) as session:
                session.run(enqueue)
        except tf.errors.OpError:  # it has ended already
            continue
    if cluster.parameter_servers:
        _wait_until_published(cluster)


def _wait_until_published(cluster: Cluster) -> None:
    """Waits a short time until the first parameter server has published that this worker has finished."""
    task = Task(PARAMETER_SERVER, 0)
    until = time.monotonic() + _CALL_SECONDS
    while time.monotonic() < until:
        try:
            text = published("grpc://" + cluster.address_of(task), task, _CALL_SECONDS)
        except tf.errors.OpError:  # it has ended: all workers have finished
            return
        record = parse_record(text)
        if record is None or str(cluster.task) in record.finished.split():
            return
        time.sleep(_POLL_SECONDS)


def _graph(cluster: Cluster, index: int) -> Any:
    graph = tf.Graph()
    with graph.as_default(), tf.device(server_devices(cluster)[index]):
        return graph, tf.FIFOQueue(-1, [tf.string], [[]], shared_name=_NAME)
