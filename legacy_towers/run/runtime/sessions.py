"""tf.Session, tf.InteractiveSession and tf.train.Server, created with the options of the command line."""
import functools
import sys
from typing import TYPE_CHECKING, Any, Callable, Optional

from legacy_towers.compat import tf
from legacy_towers.compat.patches import default_graphs, default_sessions
from legacy_towers.compat.tf1 import user_script
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError
from legacy_towers.run.rewriting import mixed_numbers
from legacy_towers.run.runtime import current

if TYPE_CHECKING:
    from legacy_towers.run.runtime.script_runtime import ScriptRuntime


# How long a session may take to tell all tasks that it is closed.
_CLOSE_SECONDS = 10.0


class _AnySession(type):
    """Makes `isinstance(session, tf.Session)` true for the sessions that TensorFlow creates itself, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        real = {"Session": tf.Session, "InteractiveSession": tf.InteractiveSession}.get(cls.__name__)
        if real is not None and cls.__module__ == __name__:
            return isinstance(instance, real)
        return super().__instancecheck__(instance)


class _ScriptSession(default_sessions.ThreadRunHook):
    """The base of both session classes: merges the config with the options, and counts and watches session runs."""

    # Class attributes, since a subclass in the script may not call __init__.
    _runs: Any = None
    _watch: Any = None
    _queues: Any = None
    _observer: Any = None
    _training_start: Any = None
    _towers: Any = None
    _empty_feeds: Any = None
    _place_shared: Optional[Callable[[], None]] = None
    # TensorFlow's __del__ reads it, also when __init__ raised.
    _session: Any = None

    def _prepare(self, kind: str, target: Any, graph: Any, config: Any, default: Callable[[], Any]) -> Any:
        """Returns the config to create the session with."""
        runtime = current.script_runtime()
        # TensorFlow itself rejects a config of another type.
        if runtime is None or not (config is None or isinstance(config, tf.ConfigProto)):
            return config
        built = tf.get_default_graph() if graph is None else graph
        _place(runtime, target, built)
        self._queues, self._observer = runtime.queues, runtime.observer
        self._training_start, self._towers = runtime.training_start, runtime.towers
        self._empty_feeds = runtime.empty_feeds if runtime.empty_feeds.is_needed else None
        self._watch, self.around_thread_run = runtime.watch, runtime.daemon_threads.run
        if runtime.step_limit is not None:
            self._runs = runtime.step_limit.of_session(runtime, _is_monitored(sys._getframe(2)))
        merged = merge(runtime, default() if config is None else config, on_this_process=not target)
        _note(runtime, kind, target, merged)
        if self._observer is not None:
            self._observer.note_session(self, built)
        if target:
            runtime.check_server()
            self._place_shared = runtime.shared_variables.placer(_text(target), built, merged)
        elif isinstance(built, default_graphs.PlacingGraph):
            built.note_session(merged.device_count.get("CPU", 1))
        return merged

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        run = super().run  # type: ignore[misc]
        if self._empty_feeds is not None:
            run = functools.partial(self._empty_feeds.run, run, self)
        self._prepare_graph()
        if self._queues is not None:
            self._queues.check_timeout(self, fetches, options)
        self._examine_training(fetches)
        if self._towers is not None:
            run = functools.partial(self._towers.run, run, self)
        if self._runs is not None or self._watch is not None:
            counts = True
            if self._runs is not None:
                counts = self._runs.count(self, fetches, _module_of(sys._getframe(1)))
            if self._watch is not None:
                run = functools.partial(self._watch.run, run, self, counts=counts)
        if self._observer is not None:
            run = functools.partial(self._observer.run, run, self)
        try:
            return run(fetches, feed_dict, options, run_metadata)
        except ValueError as error:
            # From numpy, which could not convert a feed to an array; nothing has run yet.
            if not isinstance(feed_dict, dict) or not mixed_numbers.is_inhomogeneous(error):
                raise
            user_script.report_replacement("an array with one element in a list of numbers", "its element")
            feeds = {key: mixed_numbers.unwrapped(value) for key, value in feed_dict.items()}
        except tf.errors.InvalidArgumentError:
            runtime, graph = current.script_runtime(), self.graph  # type: ignore[attr-defined]
            if runtime is not None:
                runtime.empty_batches.report(graph, feed_dict, runtime.print_line)
            raise
        return run(fetches, feeds, options, run_metadata)

    def close(self) -> None:
        if self._observer is not None:
            self._observer.note_close(self)
        close = super().close  # type: ignore[misc]
        if not self._session or not self.sess_str:  # type: ignore[attr-defined]
            close()
        elif not default_sessions.close_within(self, close, _CLOSE_SECONDS):
            runtime = current.script_runtime()
            if runtime is not None:
                runtime.print_line(
                    "the session at {} has not closed within {:g} seconds: a task that it was connected with has "
                    "ended, or does not answer. Continuing without it. A session whose config has device_filters, such "
                    "as [\"/job:ps\", \"/job:worker/task:0\"] for worker 0, does not wait for other workers.".format(
                        _text(self.sess_str), _CLOSE_SECONDS  # type: ignore[attr-defined]
                    ))

    def _prepare_graph(self) -> None:
        if self._place_shared is not None:
            self._place_shared()
        if self._queues is not None:
            self._queues.before_run(self)

    def _examine_training(self, fetches: Any) -> None:
        if self._training_start is not None and not self._training_start.before_run(self, fetches):
            self._training_start = None

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        self._prepare_graph()
        if self._towers is not None:
            self._towers.refuse_other_runs(self, fetches, "partial_run")
        return super().partial_run_setup(fetches, feeds)  # type: ignore[misc]

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        counts = True
        self._examine_training(fetches)
        if self._runs is not None:
            counts = self._runs.count(self, fetches, _module_of(sys._getframe(1)))
        run = functools.partial(super().partial_run, handle)  # type: ignore[misc]
        if self._watch is not None:
            return self._watch.run_partial(run, self, fetches, feed_dict, counts)
        return run(fetches, feed_dict)

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Any:
        make = super().make_callable  # type: ignore[misc]
        self._prepare_graph()
        made = make(fetches, feed_list, accept_options)
        if self._observer is not None:
            self._observer.note_callable(self, fetches)
        if self._training_start is not None and feed_list is None:
            made = self._training_start.of_callable(made, self, fetches)
        if self._towers is not None and feed_list is None:
            made = self._towers.callable(made, self, fetches)
        # With a feed_list the callable calls `run`, which counts.
        if feed_list is not None or (self._runs is None and self._watch is None):
            return made
        caller = _module_of(sys._getframe(1))
        with_options = make(fetches, None, True) if self._watch is not None and not accept_options else made

        def call(_: Any, feeds: Any, options: Any, run_metadata: Any) -> Any:
            if options is None and run_metadata is None:
                return made()
            return with_options(options=options, run_metadata=run_metadata)

        def run(*arguments: Any, **keywords: Any) -> Any:
            counts = True
            if self._runs is not None:
                counts = self._runs.count(self, fetches, caller)
            # TensorFlow itself rejects wrong arguments.
            if self._watch is None or arguments or (keywords and not accept_options):
                return made(*arguments, **keywords)
            run_arguments = keywords.get("options"), keywords.get("run_metadata")
            return self._watch.run(call, self, fetches, None, *run_arguments, counts)

        return run


class Session(_ScriptSession, tf.Session, metaclass=_AnySession):
    """tf.Session."""

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        config = self._prepare("Session", target, graph, config, default_sessions.default_config)
        super().__init__(target, graph, config)


class InteractiveSession(_ScriptSession, tf.InteractiveSession, metaclass=_AnySession):
    """tf.InteractiveSession."""

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, self._prepare("InteractiveSession", target, graph, config, _interactive))


class Server(tf.train.Server):
    """tf.train.Server."""

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: Any = None,
        task_index: Any = None,
        protocol: Any = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        runtime = current.script_runtime()
        if runtime is not None:
            runtime.reject_missing_devices()
            # A ServerDef has a config of its own; `config` replaces it.
            own = getattr(server_or_cluster_def, "default_session_config", tf.ConfigProto())
            config = merge(runtime, own if config is None else config, on_this_process=True)
        super().__init__(server_or_cluster_def, job_name, task_index, protocol, config, start)
        if runtime is not None:
            runtime.server_cpus = config.device_count.get("CPU", 1)
            runtime.shared_variables.note_server(self)
            _note(runtime, "Server", self.target, config)

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> "Server":
        # The job's name in TensorFlow 1.x, which scripts use in device strings; in 2.x it is "localhost".
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)


def adjusted(session: Any, target: Any, graph: Any, config: Any) -> Any:
    """Returns the config of a new session that is not made by the classes above, such as Keras's.

    It has the options of the command line and enough logical CPU devices, as those of the script have.
    """
    runtime = current.script_runtime()
    if runtime is None or isinstance(session, _ScriptSession):
        return config
    if not (config is None or isinstance(config, tf.ConfigProto)):
        return config  # which TensorFlow itself rejects
    built = tf.get_default_graph() if graph is None else graph
    _place(runtime, target, built)
    given = default_sessions.default_config() if config is None else config
    merged = merge(runtime, given, on_this_process=not target)
    _note(runtime, "Session", target, merged)
    if not target and isinstance(built, default_graphs.PlacingGraph):
        built.note_session(merged.device_count.get("CPU", 1))
    return merged


def _place(runtime: "ScriptRuntime", target: Any, graph: Any) -> None:
    """Maps the devices of a session's graph, and reports those that are mapped or missing."""
    if not target and isinstance(graph, tf.Graph):
        if not isinstance(graph, default_graphs.PlacingGraph):
            # One that TensorFlow made itself, such as that of an Estimator of 1.15.
            runtime.devices.place_graph(graph)
        runtime.empty_batches.keep_shapes(graph)
    runtime.reject_missing_devices()
    runtime.report_mapped_devices()


def merge(runtime: "ScriptRuntime", config: Any, on_this_process: bool) -> Any:
    """Returns a copy of `config` with the options of the command line and enough logical CPU devices.

    Args:
      runtime: the runtime of the script.
      config: the script's ConfigProto, or the default.
      on_this_process: whether the session creates its devices from this config; those of a server exist already.
    """
    try:
        merged = session_config(base=config, **runtime.options.session)
    except ArgumentError as error:  # without options, TensorFlow itself rejects the script's config
        if runtime.options.session:
            runtime.print_line(
                "error: the config of the script's session contradicts the options of run: {}".format(error))
            raise SystemExit(2) from None
        merged = tf.ConfigProto()
        merged.CopyFrom(config)
    merged.allow_soft_placement = True
    if on_this_process and runtime.devices.logical_cpus() > 1:
        # Reading a missing key of a protobuf map would add it with the value 0.
        merged.device_count["CPU"] = max(merged.device_count.get("CPU", 1), runtime.devices.logical_cpus())
    return merged


def _interactive() -> Any:
    return tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))


def _note(runtime: "ScriptRuntime", kind: str, target: Any, config: Any) -> None:
    name = _text(target)
    runtime.sessions[current.SessionRecord(user_script.calling_line(), kind, name, config.SerializeToString())] += 1


def _text(target: Any) -> str:
    return target.decode() if isinstance(target, bytes) else str(target or "")


def _module_of(frame: Any) -> str:
    return str(frame.f_globals.get("__name__"))


def _is_monitored(frame: Optional[Any]) -> bool:
    """Returns whether a MonitoredSession or a similar class creates the session; OutOfRangeError ends those."""
    while frame is not None:
        if _module_of(frame).endswith("python.training.monitored_session"):
            return True
        frame = frame.f_back
    return False
