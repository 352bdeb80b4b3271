"""The end of a parameter server: it runs until all workers have reported that they have finished."""
import time
from typing import Any, Set

from legacy_towers.cluster.parameter_servers import server_devices
from legacy_towers.cluster.value import PARAMETER_SERVER, Cluster, Task
from legacy_towers.compat import tf
from legacy_towers.errors import ClusterError

_NAME = "legacy_towers_finished"
_POLL_SECONDS = 0.2
_CALL_SECONDS = 5.0


def serve(cluster: Cluster, server: Any) -> None:
    """Waits until all workers have finished; for the task of a parameter server.

    Args:
      cluster: the tasks, and which of them this process is.
      server: what `lt.cluster.start` returned.

    Raises:
      ClusterError: this process is not a parameter server.
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
    with tf.Session(server.target, graph=graph, config=config) as session:
        while not expected <= found:
            if session.run(size):
                found.add(session.run(name).decode("utf-8"))
            else:
                # Not in one run that waits: a signal would not be noticed in it.
                time.sleep(_POLL_SECONDS)


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
            with tf.Session("grpc://" + cluster.address_of(task), graph=graph, config=config) as session:
                session.run(enqueue)
        except tf.errors.OpError:  # it has ended already
            continue


def _graph(cluster: Cluster, index: int) -> Any:
    graph = tf.Graph()
    with graph.as_default(), tf.device(server_devices(cluster)[index]):
        return graph, tf.FIFOQueue(-1, [tf.string], [[]], shared_name=_NAME)
