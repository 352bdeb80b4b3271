"""One start and one end for all workers that train variables on parameter servers."""
import zlib
from typing import Any, List

from legacy_towers.compat import tf
from legacy_towers.step.together import StartTogetherHook, StopTogetherHook
from legacy_towers.step.watch_workers import WatchWorkersHook
from legacy_towers.tensor_types import Coordinator, Session, Tensor, Variable


class ParameterServerStartHook(StartTogetherHook):
    """Waits until the chief has initialized or restored the variables, and checks that all built the same step.

    Runs before all that reads variables at the start of a session.

    Raises:
      ClusterError: the session is not one of a worker, or a worker has built another step than the chief.
    """

    def __init__(self, workers: Any, fingerprint: str, sums: Any, global_step: Variable) -> None:
        super().__init__(workers, fingerprint)
        self._sums = sums
        self._global_step = global_step
        self._prepare: List[Any] = []
        self._seen: Any = None
        self._remains: List[Any] = []

    def begin(self) -> None:
        """Adds the operations to the graph, when all variables exist."""
        workers: Any = self._workers
        variables = sorted(tf.global_variables(), key=lambda variable: str(variable.op.name))
        described = [
            (str(each.op.name), each.dtype.base_dtype.name, str(each.shape), each.device) for each in variables
        ]
        text = repr((self._fingerprint, workers.required, described, workers.tensor_names))
        with tf.device(workers.device):
            own = tf.constant(float(zlib.crc32(text.encode("utf-8"))), tf.float64)
            self._prints = workers.all_gather(own, "fingerprint")
            admission = self._sums.admission
            if admission is not None:
                self._seen = admission.seen(self._global_step.read_value())
        if workers.is_chief:
            self._prepare = [self._sums.votes.initializer]
            if admission is not None:
                self._prepare.append(admission.admitted.initializer)
                self._seen = admission.open(self._global_step.read_value())
            # What an earlier session on the same servers has left there.
            for each in workers.leftovers:
                sparse = isinstance(each, tf.SparseConditionalAccumulator)
                take = each.take_indexed_slices_grad(1).values if sparse else each.take_grad(1)
                self._remains.append((each.num_accumulated(), take))

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Waits for all workers, and compares what they built."""
        self._check(session)
        session.run(self._prepare)
        counts = session.run([count for count, _ in self._remains])
        session.run([take for count, (_, take) in zip(counts, self._remains) if count])
        if self._workers.is_chief and self._seen is not None:
            session.run(self._seen)
        self._compare(session)
        if not self._workers.is_chief and self._seen is not None:
            session.run(self._seen)


class ParameterServerStopHook(StopTogetherHook):
    """A StopTogetherHook for variables on parameter servers; it also counts this worker's late steps.

    Attributes:
      runs: how many steps this worker has run.
      late: how many of them came too late for the update, with backup workers.
    """

    def __init__(
        self, workers: Any, vote: Tensor, votes: Tensor, start_votes: Tensor, in_each_step: Tensor, queues: List[Any],
        admission: Any, watch: WatchWorkersHook,
    ) -> None:
        super().__init__(workers, vote, votes, start_votes, in_each_step)
        self.waits_for_chief = not workers.is_chief
        self.runs = self.late = 0
        self._admission = admission
        self._watch = watch
        self._close = tf.no_op()
        self._has_voted = False
        if workers.is_chief:
            with tf.device(workers.host):
                self._close = tf.group(*[queue.close() for queue in queues[1:]])

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Ends before the first step if a worker has asked for it."""
        self._has_voted = False
        super().after_create_session(session, coord)

    def before_run(self, run_context: Any) -> Any:
        """Votes, in a run that is a step, once."""
        asked = super().before_run(run_context)
        if asked is None:
            return None
        feed = None if self._has_voted else asked.feed_dict
        self._has_voted = self._has_voted or bool(feed)
        admitted = [] if self._admission is None else self._admission.is_admitted
        return tf.train.SessionRunArgs([asked.fetches, admitted], feed)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Requests a stop if a worker voted for it, and counts the steps that came too late."""
        votes = None
        if self._is_step:
            votes, admitted = run_values.results
            self.runs += 1
            self.late += 0 if self._admission is None else int(not admitted)
        super().after_run(run_context, tf.train.SessionRunValues(votes, None, None))

    def end(self, session: Session) -> None:
        """Closes the queues of the other workers, so that one that was late stops waiting for another step."""
        session.run(self._close)
        self._watch.stop()

    def __str__(self) -> str:
        return "{}: {:,} of {:,} steps came too late and were left out".format(
            self._workers.names[self._workers.index], self.late, self.runs
        )
