"""tf.Session, tf.InteractiveSession and tf.train.Server, made with the options of the command line."""
import functools
import sys
from typing import Any, Callable, Optional

from legacy_towers.compat import script_graph, script_session, tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError
from legacy_towers.oldtf import current
from legacy_towers.oldtf.changed import mixed_numbers
from legacy_towers.oldtf.machine import machine as machine_room


class _AnySession(type):
    """Lets `isinstance(session, tf.Session)` be true of the sessions that TensorFlow makes for itself, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        real = {"Session": tf.Session, "InteractiveSession": tf.InteractiveSession}.get(cls.__name__)
        if real is not None and cls.__module__ == __name__:
            return isinstance(instance, real)
        return super().__instancecheck__(instance)


class _OfScript(script_session.RunsThrough):
    """What both kinds of sessions have: a config merged with the options, and runs that are counted if asked."""

    # A subclass of the script may not call our __init__.
    _counted: Any = None
    _watch: Any = None
    # TensorFlow's __del__ asks for it, also of a session that was refused.
    _session: Any = None

    def _prepare(self, kind: str, target: Any, graph: Any, config: Any, default: Callable[[], Any]) -> Any:
        """Returns the config to make the session with."""
        machine = machine_room.of_running_script()
        # What is no config TensorFlow refuses, in its own words.
        if machine is None or not (config is None or isinstance(config, tf.ConfigProto)):
            return config
        machine.refuse_impossible()
        machine.say_news()
        self._watch, self.around_thread_run = machine.watch, machine.ending.run
        if machine.steps is not None:
            self._counted = machine.steps.of_session(machine, _is_monitored(sys._getframe(2)))
        merged = merge(machine, default() if config is None else config, on_this_process=not target)
        _note(machine, kind, target, merged)
        built = tf.get_default_graph() if graph is None else graph
        if target:
            machine.check_server()
        elif isinstance(built, script_graph.PlacingGraph):
            built.note_session(merged.device_count.get("CPU", 1))
        return merged

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        run = super().run  # type: ignore[misc]
        if self._counted is not None or self._watch is not None:
            counts = True
            if self._counted is not None:
                counts = self._counted.before(self, fetches, _module_of(sys._getframe(1)))
            if self._watch is not None:
                run = functools.partial(self._watch.run, run, self, counts=counts)
        try:
            return run(fetches, feed_dict, options, run_metadata)
        except ValueError as error:
            # Of numpy, which made no array of a feed, before anything ran.
            if not isinstance(feed_dict, dict) or not mixed_numbers.is_complaint(error):
                raise
            current.say_once("an array of one number in a list of numbers", "its number")
            feeds = {key: mixed_numbers.unwrapped(value) for key, value in feed_dict.items()}
        return run(fetches, feeds, options, run_metadata)

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        counts = True
        if self._counted is not None:
            counts = self._counted.before(self, fetches, _module_of(sys._getframe(1)))
        run = functools.partial(super().partial_run, handle)  # type: ignore[misc]
        if self._watch is not None:
            return self._watch.run_partial(run, self, fetches, feed_dict, counts)
        return run(fetches, feed_dict)

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Any:
        make = super().make_callable  # type: ignore[misc]
        made = make(fetches, feed_list, accept_options)
        # With a list of feeds it calls `run`.
        if feed_list is not None or (self._counted is None and self._watch is None):
            return made
        caller = _module_of(sys._getframe(1))
        with_options = make(fetches, None, True) if self._watch is not None and not accept_options else made

        def call(_: Any, feeds: Any, options: Any, run_metadata: Any) -> Any:
            if options is None and run_metadata is None:
                return made()
            return with_options(options=options, run_metadata=run_metadata)

        def run(*arguments: Any, **keywords: Any) -> Any:
            counts = True
            if self._counted is not None:
                counts = self._counted.before(self, fetches, caller)
            # What it does not take TensorFlow refuses.
            if self._watch is None or arguments or (keywords and not accept_options):
                return made(*arguments, **keywords)
            asked = keywords.get("options"), keywords.get("run_metadata")
            return self._watch.run(call, self, fetches, None, *asked, counts)

        return run


class Session(_OfScript, tf.Session, metaclass=_AnySession):
    """tf.Session."""

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, self._prepare("Session", target, graph, config, script_session.default_config))


class InteractiveSession(_OfScript, tf.InteractiveSession, metaclass=_AnySession):
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
        machine = machine_room.of_running_script()
        if machine is not None:
            machine.refuse_impossible()
            # A ServerDef brings a config of its own, which one given here replaces.
            own = getattr(server_or_cluster_def, "default_session_config", tf.ConfigProto())
            config = merge(machine, own if config is None else config, on_this_process=True)
        super().__init__(server_or_cluster_def, job_name, task_index, protocol, config, start)
        if machine is not None:
            machine.server_cpus = config.device_count.get("CPU", 1)
            _note(machine, "Server", self.target, config)

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> "Server":
        # The job's name in TensorFlow 1.x, which scripts put into their devices; 2.x calls it "localhost".
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)


def merge(machine: machine_room.Machine, config: Any, on_this_process: bool) -> Any:
    """Returns a copy of `config` with what the command line asks for, and with room for the script's devices.

    Args:
      machine: of the running script.
      config: the script's, or what stands for none.
      on_this_process: whether the session's devices are made from this config; a server has its own.
    """
    try:
        merged = session_config(base=config, **machine.options.session)
    except ArgumentError as error:  # the script's own config contradicts itself: TensorFlow's to refuse
        if machine.options.session:
            machine.say("error: the script's session and the options of run don't fit together: {}".format(error))
            raise SystemExit(2) from None
        merged = tf.ConfigProto()
        merged.CopyFrom(config)
    merged.allow_soft_placement = True
    if on_this_process and machine.devices.logical_cpus() > 1:
        # Asking a map for a key that it lacks would enter it, and 0 CPUs are none.
        merged.device_count["CPU"] = max(merged.device_count.get("CPU", 1), machine.devices.logical_cpus())
    return merged


def _interactive() -> Any:
    return tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))


def _note(machine: machine_room.Machine, kind: str, target: Any, config: Any) -> None:
    name = target.decode() if isinstance(target, bytes) else str(target or "")
    machine.made[machine_room.MadeSession(current.place(), kind, name, config.SerializeToString())] += 1


def _module_of(frame: Any) -> str:
    return str(frame.f_globals.get("__name__"))


def _is_monitored(frame: Optional[Any]) -> bool:
    """Returns whether the session is made for a MonitoredSession or its kin, which end by an error of TensorFlow."""
    while frame is not None:
        if _module_of(frame).endswith("python.training.monitored_session"):
            return True
        frame = frame.f_back
    return False
