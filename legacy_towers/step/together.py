"""One start and one end for all workers of a cluster: equal graphs and initial values, and stops that all agree on."""
import zlib
from typing import Any, Callable, List

from legacy_towers.cluster.finished import finish
from legacy_towers.cluster.worker_config import session_config
from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.compat.versions.monitored import withdrawn_stop
from legacy_towers.compat.versions.session import config_of
from legacy_towers.errors import ClusterError
from legacy_towers.graph.walk import RunNeeds
from legacy_towers.tensor_types import Coordinator, Session, Tensor
from legacy_towers.text.names import listed


class StartTogetherHook(tf.train.SessionRunHook):
    """Checks that all workers have built the same step, and gives all of them the chief's values of all variables.

    Runs before all that reads variables at the start of a session. Only the chief has to restore a checkpoint.

    Raises:
      ClusterError: the session sees devices of other tasks, or has no group leader; a variable can't be sent; or a
        worker has built another step than the chief.
    """

    def __init__(self, workers: Workers, fingerprint: str) -> None:
        self._workers = workers
        self._fingerprint = fingerprint
        self._prints: Any = None
        self._broadcast: Any = None

    def begin(self) -> None:
        """Adds the operations to the graph, when all variables exist."""
        workers = self._workers
        variables = sorted(tf.global_variables(), key=lambda variable: str(variable.op.name))
        described = [(str(each.op.name), each.dtype.base_dtype.name, str(each.shape)) for each in variables]
        text = repr((self._fingerprint, described, workers.tensor_names))
        with tf.device(workers.device):
            own = tf.constant(float(zlib.crc32(text.encode("utf-8"))), tf.float64)
            self._prints = workers.all_gather(own, "fingerprint")
            writes = []
            for variable in variables:
                name = "initial value of {}".format(variable.op.name)
                value = workers.broadcast_from_chief(variable.read_value(), name)
                with tf.device(variable.device):
                    writes.append(tf.assign(variable, value).op)
            self._broadcast = tf.group(*writes)

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Waits for all workers, compares what they built, and sets the variables."""
        self._check(session)
        self._compare(session)
        session.run(self._broadcast)

    def _compare(self, session: Session) -> None:
        prints = session.run(self._prints)
        others = [name for name, found in zip(self._workers.names, prints) if found != prints[0]]
        if others:
            raise ClusterError(
                "{} built another step than {}: give all workers the same program, options and data".format(
                    listed(others), self._workers.names[0]
                )
            )

    def _check(self, session: Session) -> None:
        cluster, config = self._workers.cluster, config_of(session)
        if config is None or self._workers.size == 1:
            return
        expected = session_config(cluster)
        leaders = [each.experimental.collective_group_leader for each in (config, expected)]
        if leaders[0] != leaders[1] or list(config.device_filters) != list(expected.device_filters):
            raise ClusterError(
                "this session is not one of a worker: create it, and the server, with "
                "config=lt.cluster.session_config(cluster, ...), which names the group leader {!r} and lets the "
                "session see the devices of {} alone{}".format(
                    cluster.chief.device, cluster.task,
                    ", and of the parameter servers" if cluster.parameter_servers else "",
                )
            )


class StopTogetherHook(tf.train.SessionRunHook):
    """Stops all workers after the same step: a request to stop becomes a vote, which all workers read in the next step.

    Runs last: it withdraws what the hooks before it, or the caller, request in a run.

    Attributes:
      reason: returns the number of the signal because of which this worker asks to stop; 1 for another reason.
      asked: the names of the workers that asked to stop; [] before.
      signal: the number of a signal that one of them received; 0 for none.
      waits_for_chief: whether another worker, the chief, initializes the variables that this one trains.
      step_multiple: a checkpoint can be saved after a step whose number is a multiple of it, and at the end.
    """

    waits_for_chief = False
    step_multiple = 1

    def __init__(
        self, workers: Workers, vote: Tensor, votes: Tensor, start_votes: Tensor, in_each_step: Tensor
    ) -> None:
        """
        Args:
          vote: float64 scalar placeholder: 0, or why this worker asks to stop.
          votes: float64 of shape [workers]: the votes of all, in a step.
          start_votes: the same, before the first step.
          in_each_step: a tensor that each step computes, and that `votes` are computed of.
        """
        self.reason: Callable[[], int] = lambda: 1
        self.asked: List[str] = []
        self.signal = 0
        self._workers = workers
        self._vote = vote
        self._votes = votes
        self._start_votes = start_votes
        self._needs = RunNeeds([in_each_step.op])
        self._pending = 0.0
        self._is_step = False

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Ends before the first step if a worker has asked for it."""
        self._pending = 0.0
        vote = float(self.reason()) if coord is not None and coord.should_stop() else 0.0
        if self._is_over(session.run(self._start_votes, {self._vote: vote})) and coord is not None:
            coord.request_stop()

    def before_run(self, run_context: Any) -> Any:
        """Votes, in a run that is a step."""
        self._is_step = self._needs(run_context)
        if not self._is_step:
            return None
        return tf.train.SessionRunArgs(self._votes, {self._vote: self._pending} if self._pending else None)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Requests a stop if a worker voted for it."""
        if withdrawn_stop(run_context):
            self._pending = self._pending or float(self.reason())
        if self._is_step and self._is_over(run_values.results):
            run_context.request_stop()

    def finish(self) -> None:
        """Lets the parameter servers know that this worker has finished."""
        finish(self._workers.cluster)

    def _is_over(self, votes: Any) -> bool:
        found = [(name, int(vote)) for name, vote in zip(self._workers.names, votes) if vote]
        if found:
            self.asked = [name for name, _ in found]
            self.signal = max([vote for _, vote in found if vote > 1], default=0)
        return bool(found)
