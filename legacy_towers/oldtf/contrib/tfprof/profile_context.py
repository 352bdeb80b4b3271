"""tf.contrib.tfprof.ProfileContext: traces some of the session runs within it, and profiles them."""
import contextlib
import os
import random
import sys
import threading
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from legacy_towers.compat import session_runs, tf

__all__ = ["MAX_TRACED_STEPS", "ProfileContext", "WARMUP_STEPS"]

# Where a script names no steps: nothing is traced before the first, and the profile is written after the second.
WARMUP_STEPS = 10
MAX_TRACED_STEPS = 100
_COMMANDS = {
    "graph": "profile_graph",
    "scope": "profile_name_scope",
    "op": "profile_operations",
    "code": "profile_python",
}


class ProfileContext:
    """A context in which session runs are counted, and some of them traced, profiled and written to files.

    Args:
      profile_dir: the folder of the files `profile_<step>`.
      trace_steps: the runs to trace; None: some from the eleventh on.
      dump_steps: the runs after which a file is written; None: the hundredth.
      enabled: False: nothing happens.
      debug: also writes `run_meta_<step>`, and says what it does on the standard error output.

    Raises:
      ValueError: no folder, or more than 100 steps to trace.
    """

    def __init__(
        self,
        profile_dir: Optional[str],
        trace_steps: Optional[Iterable[int]] = None,
        dump_steps: Optional[Iterable[int]] = None,
        enabled: bool = True,
        debug: bool = False,
    ) -> None:
        self._enabled = enabled
        if not enabled:
            return
        if not profile_dir:
            raise ValueError("Must have a directory for profile.\n")
        self._folder = profile_dir
        self._debug = debug
        self._chooses = trace_steps is None
        self._trace_steps: Set[int] = set(trace_steps or ())
        if len(self._trace_steps) > MAX_TRACED_STEPS:
            raise ValueError("Only support tracing up to 100 steps.\n")
        self._dump_steps: Set[int] = {MAX_TRACED_STEPS} if dump_steps is None else set(dump_steps)
        self._traces_next = self._dumps_next = False
        self._step = self._traced = 0
        # The same steps in every run of the script.
        self._random = random.Random(111)
        self._seen: Set[Tuple[str, ...]] = set()
        self._profiles: List[Tuple[str, Any, List[int]]] = []
        self._results: Dict[str, Dict[int, Any]] = {}
        self._profiler: Any = None
        self._lock = threading.Lock()
        self._through = contextlib.ExitStack()

    def __enter__(self) -> "ProfileContext":
        if self._enabled:
            self._through.enter_context(session_runs.through(self._run))
        return self

    def __exit__(self, *error: Any) -> None:
        if self._enabled:
            self._through.close()

    @property
    def profiler(self) -> Any:
        """The tf.profiler.Profiler that has the traces; None where the context is not enabled."""
        if not self._enabled:
            return None
        if self._profiler is None:
            self._profiler = tf.profiler.Profiler(tf.get_default_graph())
        return self._profiler

    def add_auto_profiling(self, cmd: str, options: Dict[str, Any], profile_steps: Sequence[int]) -> None:
        """Traces the runs `profile_steps` and profiles after each: `cmd` is "scope", "op", "code" or "graph"."""
        if self._enabled:
            self._profiles.append((cmd, options, list(profile_steps)))
            self._trace_steps |= set(profile_steps)

    def get_profiles(self, cmd: str) -> Dict[int, Any]:
        """Returns step -> what `cmd` gave.

        Raises:
          ValueError: it was never run.
        """
        if cmd not in self._results:
            raise ValueError("No autoprofiler for command: {}, was run".format(cmd))
        return self._results[cmd]

    def trace_next_step(self) -> None:
        """Traces the next run."""
        if self._enabled:
            self._traces_next = True

    def dump_next_step(self) -> None:
        """Writes a file after the next run."""
        if self._enabled:
            self._dumps_next = True

    def _run(self, run: Any, session: Any, fetches: Any, feed_dict: Any, options: Any, metadata: Any) -> Any:
        # A run beside another one, of another thread, is not looked at; it counts.
        is_alone = self._lock.acquire(False)
        try:
            if not is_alone:
                return run(fetches, feed_dict, options, metadata)
            step = self._step
            if self._is_traced(step, session.graph, fetches):
                result = self._traced_run(step, run, session, fetches, feed_dict, options, metadata)
            else:
                result = run(fetches, feed_dict, options, metadata)
            if step in self._dump_steps or self._dumps_next:
                self._write(step)
            self._profile(step)
            return result
        finally:
            self._step += 1
            self._traces_next = self._dumps_next = False
            if is_alone:
                self._lock.release()

    def _traced_run(
        self, step: int, run: Any, session: Any, fetches: Any, feed_dict: Any, options: Any, metadata: Any
    ) -> Any:
        self._say("tracing step: {}".format(step))
        self._traced += 1
        traced_options = tf.RunOptions()
        if options is not None:
            traced_options.CopyFrom(options)
        traced_options.trace_level = tf.RunOptions.FULL_TRACE
        metadata = tf.RunMetadata() if metadata is None else metadata
        result = run(fetches, feed_dict, traced_options, metadata)
        if self._debug:
            tf.gfile.MakeDirs(self._folder)
            with tf.gfile.Open(os.path.join(self._folder, "run_meta_{}".format(step)), "w") as file:
                file.write(str(metadata))
        # The graph has grown since the context began.
        self.profiler._graph = session.graph
        self.profiler.add_step(step, metadata)
        return result

    def _is_traced(self, step: int, graph: Any, fetches: Any) -> bool:
        if self._traced > MAX_TRACED_STEPS:
            return False
        if step in self._trace_steps or self._traces_next:
            return True
        if not self._chooses or step <= WARMUP_STEPS:
            return False
        with graph.as_default():
            names = tuple(sorted(str(getattr(fetch, "name", fetch)) for fetch in tf.nest.flatten(fetches)))
        if names not in self._seen:
            self._seen.add(names)
            return True
        # Of operations that the traces have not met yet there may be more in another run of the same fetches.
        is_rough = self.profiler._coverage < 0.5 and step < MAX_TRACED_STEPS
        return bool(is_rough and self._random.randint(0, 10) < 2)

    def _write(self, step: int) -> None:
        self._say("dumping file at step: {}".format(step))
        tf.gfile.MakeDirs(self._folder)
        self.profiler._write_profile(os.fsencode(os.path.join(self._folder, "profile_{}".format(step))))

    def _profile(self, step: int) -> None:
        for command, options, steps in self._profiles:
            if step not in steps:
                continue
            if command not in _COMMANDS:
                raise ValueError("Unknown cmd: {}\n".format(command))
            self._say("profiling {} step: {}".format(command, step))
            self._results.setdefault(command, {})[step] = getattr(self.profiler, _COMMANDS[command])(options)

    def _say(self, what: str) -> None:
        if self._debug:
            sys.stderr.write("debug: {}\n".format(what))
