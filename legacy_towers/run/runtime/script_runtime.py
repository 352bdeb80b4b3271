"""The runtime of a script: the mapping of its devices, its sessions, and the limit of its session runs."""
import collections
import contextlib
from typing import Any, Counter, Optional

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run.runtime import daemon_threads
from legacy_towers.run.runtime.current import RuntimeOptions, SessionRecord


class ScriptRuntime:
    """What the graphs and sessions of the running script use; `start` is called once TensorFlow is imported.

    Args:
      options: the options of the command line.
      script_run: the run that the runtime belongs to.
    """

    def __init__(self, options: RuntimeOptions, script_run: user_script.ScriptRun) -> None:
        self.options = options
        self.script_run = script_run
        self.sessions: Counter[SessionRecord] = collections.Counter()
        # Set by `bottleneck`; makes the session runs and measures them: an object with
        # run(call, session, fetches, feed_dict, options, run_metadata, counts).
        self.watch: Any = None
        # Set by `doctor`; records sessions and their runs: an `observation.Observer`.
        self.observer: Any = None
        # Set by the command `run`; examines graphs that begin to train: a `training_start.TrainingStart`.
        self.training_start: Any = None
        # Set by the command `run` with --towers; makes the training steps on towers: a `replicate.script.TowerRuns`.
        self.towers: Any = None
        # Set by `start`: these modules import TensorFlow, which the script must import first.
        self.devices: Any = None
        self.empty_batches: Any = None
        self.empty_feeds: Any = None
        self.step_limit: Any = None
        self.shared_variables: Any = None
        self.queues: Any = None  # with --queues-to-dataset
        # The number of CPU devices of this process's server; a server is created before any graph.
        self.server_cpus: Optional[int] = None
        self.daemon_threads = daemon_threads.DaemonThreads()
        self._patches = contextlib.ExitStack()

    def start(self) -> None:
        """Replaces the default graphs, and the sessions that TensorFlow itself creates, until `stop`."""
        if self.devices is not None:
            return
        from legacy_towers.compat.patches import chief_waits, default_graphs, default_sessions
        from legacy_towers.run.runtime import (
            device_map,
            empty_batches,
            empty_feeds,
            graphs,
            keras_runs,
            sessions,
            shared_variables,
            step_limit,
        )
        from legacy_towers.run.runtime.queue_conversion import QueueConversion
        from legacy_towers.run.runtime.queue_proof import QueueProof

        self.devices = device_map.DeviceMap(self.options, self.script_run.devices)
        self.empty_batches = empty_batches.EmptyBatches()
        self.empty_feeds = empty_feeds.EmptyFeeds()
        self.shared_variables = shared_variables.SharedVariables(self.print_line)
        self.step_limit = step_limit.StepLimit(self.options.timeout_steps) if self.options.timeout_steps else None
        if self.options.queues_to_dataset:
            proof = QueueProof(self.print_line, self.options.allow_different) if self.options.prove else None
            self.queues = QueueConversion(self.print_line, proof)
        self._patches.enter_context(default_graphs.default_graph_factory(graphs.Graph))
        self._patches.enter_context(default_sessions.managed_session_class(sessions.Session))
        self._patches.enter_context(chief_waits.short_waits_for_the_chief(self.print_line))
        self._patches.enter_context(default_sessions.config_of_new_sessions(sessions.adjusted))
        self._patches.enter_context(default_sessions.new_strategies(self._note_strategy))
        self._patches.enter_context(keras_runs.watched(self))

    def _note_strategy(self, strategy: Any) -> None:
        try:
            names = (*strategy.extended.worker_devices, *strategy.extended.parameter_devices)
        except (NotImplementedError, RuntimeError):  # the default strategy has no devices
            return
        self.devices.note_devices(names)

    def stop(self) -> None:
        """Restores what `start` replaced."""
        self.daemon_threads.wait()
        self.report_mapped_devices()
        if self.queues is not None:
            self.queues.end()
        if self.towers is not None:
            self.towers.end()
        self._patches.close()

    def is_step_limit(self, error: BaseException) -> bool:
        """Returns whether `error` is the one by which `--timeout-steps` ends a MonitoredSession."""
        return self.step_limit is not None and error is self.step_limit.raised

    def print_line(self, sentence: str) -> None:
        """Prints one line on standard error."""
        user_script.print_message(sentence)

    def report_mapped_devices(self) -> None:
        """Prints the devices that were mapped since the last call."""
        for sentence in self.devices.new_mappings() if self.devices is not None else ():
            self.print_line(sentence)

    def report_missing_cpus(self, owner: str, cpus: int, needed: int) -> None:
        """Reports that `owner` was created with `cpus` CPU devices, before the script named a device that needs more.

        Args:
          owner: "a session" or "the server".
          cpus: the number of its CPU devices.
          needed: the number of CPU devices that the script's devices need.
        """
        self.print_line(
            "{} was created before the script named its device {} and has {}: operations of missing devices run on "
            "/cpu:0; --num-devices {} gives each device its own".format(
                owner, needed - 1, "1 CPU device" if cpus == 1 else "{} CPU devices".format(cpus), needed
            )
        )

    def check_server(self) -> None:
        """Reports it if the script has named more devices than its server was created with."""
        needed = self.devices.logical_cpus()
        if self.server_cpus is not None and needed > self.server_cpus:
            self.report_missing_cpus("the server", self.server_cpus, needed)
            self.server_cpus = None

    def reject_missing_devices(self) -> None:
        """Ends the script, with an error message and exit code 2, if an option names a device that does not exist."""
        if self.devices.problem is not None:
            self.print_line("error: " + self.devices.problem)
            raise SystemExit(2)
