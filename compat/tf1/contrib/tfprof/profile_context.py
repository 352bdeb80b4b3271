"""tf.contrib.tfprof.ProfileContext: traces and profiles session runs."""
import contextlib
import os
import random
import sys
import threading
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from legacy_towers.compat.patches import session_runs
from legacy_towers.compat.versions import tf

__all__ = ["MAX_TRACED_STEPS", "ProfileContext", "WARMUP_STEPS"]

# Without trace_steps, tracing starts after WARMUP_STEPS; without dump_steps, the file is written at MAX_TRACED_STEPS.
WARMUP_STEPS = 10
MAX_TRACED_STEPS = 100
_COMMANDS = {
    "graph": "profile_graph",
    "scope": "profile_name_scope",
    "op": "profile_operations",
    "code": "profile_python",
}


class ProfileContext:
    """Traces and profiles session runs inside of a `with` block, and writes profiles to files.

    Args:
      profile_dir: the directory of the files `profile_<step>`.
      trace_steps: the session runs to trace, counted from 0; None chooses runs after the first ten.
      dump_steps: the session runs after which to write a file; None: 100.
      enabled: False disables the context.
      debug: whether to write `run_meta_<step>` too, and to report on stderr.

    Raises:
      ValueError: `profile_dir` is empty, or `trace_steps` has more than 100 steps.
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
        self._chooses_steps = trace_steps is None
        self._trace_steps: Set[int] = set(trace_steps or ())
        if len(self._trace_steps) > MAX_TRACED_STEPS:
            raise ValueError("Only support tracing up to 100 steps.\n")
        self._dump_steps: Set[int] = {MAX_TRACED_STEPS} if dump_steps is None else set(dump_steps)
        self._traces_next = self._dumps_next = False
        self._step = self._traced = 0
        # A fixed seed: every run of a script traces the same steps.
        self._random = random.Random(111)
        self._seen: Set[Tuple[str, ...]] = set()
        self._profiles: List[Tuple[str, Any, List[int]]] = []
        self._results: Dict[str, Dict[int, Any]] = {}
        self._profiler: Any = None
        self._lock = threading.Lock()
        self._exit_stack = contextlib.ExitStack()

    def __enter__(self) -> "ProfileContext":
        if self._enabled:
            self._exit_stack.enter_context(session_runs.through(self._run))
        return self

    def __exit__(self, *error: Any) -> None:
        if self._enabled:
            self._exit_stack.close()

    @property
    def profiler(self) -> Any:
        """The tf.profiler.Profiler with the traces; None if the context is disabled."""
        if not self._enabled:
            return None
        if self._profiler is None:
            self._profiler = tf.profiler.Profiler(tf.get_default_graph())
        return self._profiler

    def add_auto_profiling(self, cmd: str, options: Dict[str, Any], profile_steps: Sequence[int]) -> None:
        """Traces the runs `profile_steps`, and profiles after each by `cmd`: "scope", "op", "code" or "graph"."""
        if self._enabled:
            self._profiles.append((cmd, options, list(profile_steps)))
            self._trace_steps |= set(profile_steps)

    def get_profiles(self, cmd: str) -> Dict[int, Any]:
        """Returns step -> the profile of `cmd`.

        Raises:
          ValueError: `cmd` has not been run.
        """
        if cmd not in self._results:
            raise ValueError("No autoprofiler for command: {}, was run".format(cmd))
        return self._results[cmd]

    def trace_next_step(self) -> None:
        """Traces the next session run."""
        if self._enabled:
            self._traces_next = True

    def dump_next_step(self) -> None:
        """Writes a profile after the next session run."""
        if self._enabled:
            self._dumps_next = True

    def _run(self, run: Any, session: Any, fetches: Any, feed_dict: Any, options: Any, metadata: Any) -> Any:
        # A run that another thread makes at the same time is counted, but not traced.
        has_lock = self._lock.acquire(False)
        try:
            if not has_lock:
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
            if has_lock:
                self._lock.release()

    def _traced_run(
        self, step: int, run: Any, session: Any, fetches: Any, feed_dict: Any, options: Any, metadata: Any
    ) -> Any:
        self._report("tracing step: {}".format(step))
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
        # Operations may have been added since the profiler was created.
        self.profiler._graph = session.graph
        self.profiler.add_step(step, metadata)
        return result

    def _is_traced(self, step: int, graph: Any, fetches: Any) -> bool:
        if self._traced > MAX_TRACED_STEPS:
            return False
        if step in self._trace_steps or self._traces_next:
            return True
        if not self._chooses_steps or step <= WARMUP_STEPS:
            return False
        with graph.as_default():
            names = tuple(sorted(str(getattr(fetch, "name", fetch)) for fetch in tf.nest.flatten(fetches)))
        if names not in self._seen:
            self._seen.add(names)
            return True
        # Another run of the same fetches may cover more operations.
        has_low_coverage = self.profiler._coverage < 0.5 and step < MAX_TRACED_STEPS
        return bool(has_low_coverage and self._random.randint(0, 10) < 2)

    def _write(self, step: int) -> None:
        self._report("dumping file at step: {}".format(step))
        tf.gfile.MakeDirs(self._folder)
        self.profiler._write_profile(os.fsencode(os.path.join(self._folder, "profile_{}".format(step))))

    def _profile(self, step: int) -> None:
        for command, options, steps in self._profiles:
            if step not in steps:
                continue
            if command not in _COMMANDS:
                raise ValueError("Unknown cmd: {}\n".format(command))
            self._report("profiling {} step: {}".format(command, step))
            self._results.setdefault(command, {})[step] = getattr(self.profiler, _COMMANDS[command])(options)

    def _report(self, text: str) -> None:
        if self._debug:
            sys.stderr.write("debug: {}\n".format(text))
