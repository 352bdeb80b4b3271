"""What differs where the workers of a cluster each apply their own gradients to variables on parameter servers.

    worker 0   read w0  compute        w1 = w0 + a            read w2  compute   ...
    worker 1       read w0  compute               w2 = w1 + b   read w2  compute   ...      (b was computed from w0)

Updates are applied one at a time, those of all workers, by a lock on the first server.
"""
from typing import Any

from legacy_towers.compat import tf
from legacy_towers.step.parameter_server_hooks import ParameterServerStartHook
from legacy_towers.step.parameter_servers import ServerSums, check_variables_on_servers, votes_of
from legacy_towers.step.setup import Setup
from legacy_towers.step.together import StopTogetherHook
from legacy_towers.step.updates import Updates
from legacy_towers.step.watch_workers import WatchWorkersHook
from legacy_towers.tensor_types import Operation, Tensor


def asynchronous_over_workers(setup: Setup, updates: Updates, fingerprint: str) -> Updates:
    """Returns updates with the hooks by which the workers start together, and stop when one is asked to."""
    workers: Any = setup.options.workers
    check_variables_on_servers()
    vote, votes, added = votes_of(workers)
    with tf.device(workers.device), tf.name_scope("over_workers"):
        seen = tf.identity(votes.read_value(), name="stop_votes")
    start_votes = workers.all_gather(vote, "votes to stop before the first step")
    start = ParameterServerStartHook(
        workers, fingerprint, ServerSums([], {}, vote, tf.constant(0.0), votes, None), setup.global_step
    )
    watch = WatchWorkersHook(workers.cluster)
    stop = AsynchronousStopHook(workers, vote, seen, start_votes, added, watch)
    return updates._replace(hooks=[watch, start] + updates.hooks + [stop])


class AsynchronousStopHook(StopTogetherHook):
    """Lets all workers end when one is asked to, each after its current update: a request to stop is a vote.

    The end of a worker's data is not a request to stop: the other workers continue with theirs.
    """

    def __init__(
        self, workers: Any, vote: Tensor, votes: Tensor, start_votes: Tensor, add_vote: Operation,
        watch: WatchWorkersHook,
    ) -> None:
        super().__init__(workers, vote, votes, start_votes, votes)
        self.waits_for_chief = not workers.is_chief
        self._add_vote = add_vote
        self._watch = watch
        self._has_voted = False

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Ends before the first update if a worker has asked for it."""
        self._has_voted = False
        super().after_create_session(session, coord)

    def before_run(self, run_context: Any) -> Any:
        """Reads the votes."""
        return tf.train.SessionRunArgs(self._votes)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Votes if this worker is asked to stop, and requests a stop if another one is."""
        if run_context.stop_requested and not self._has_voted:
            self._has_voted = True
            run_context.session.run(self._add_vote, {self._vote: float(self.reason())})
        if self._is_over(run_values.results):
            run_context.request_stop()

    def end(self, session: Any) -> None:
        """Ends the watch of the other tasks, after all else."""
        self._watch.stop()
