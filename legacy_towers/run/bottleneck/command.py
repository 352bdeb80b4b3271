"""Measures a script from start to end and prints the figures."""
import collections
import os
import sys
import threading
from typing import Any, Callable, List, NoReturn, Optional

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.user_script import ScriptRun
from legacy_towers.errors import UserError
from legacy_towers.run.bottleneck import stacks, watched_compat
from legacy_towers.text.files import write_whole
from legacy_towers.text.terminal import layout_of

FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141


def measure(
    execute: Callable[[], None], script_run: ScriptRun, warm_up: int, json_path: Optional[str], out: Any
) -> None:
    """Runs a script to its end, measures its steps, and prints the figures.

    Args:
      execute: runs the script.
      script_run: the run of the script, with its runtime.
      warm_up: the number of first steps to leave out.
      json_path: path of a JSON file to write the figures to as well; None writes none.
      out: the text file to print to.

    Raises:
      SystemExit: with code 1, after an error message, if the script succeeded but there are no figures or they can't
        be written; with code 130 after Ctrl-C; with code 141 if the reader of `out` has closed it.
      BaseException: the script's own error, raised again after the figures are printed.
    """
    watches: List[Any] = []

    def begin_to_watch() -> None:
        from legacy_towers.run.bottleneck import watch

        watches.append(watch.Watch())
        script_run.runtime.watch = watches[0]

    # Later, since the script may set environment variables before it imports TensorFlow.
    script_run.when_tensorflow_is_there(begin_to_watch)
    script_run.replaced_modules[watched_compat.MODULE] = watched_compat.__name__

    def is_scripts(path: str) -> bool:
        # Not `owns`: that may include the file of the command legacy-towers itself.
        return path in script_run.files

    process = os.getpid()
    end: Optional[BaseException] = None
    try:
        with stacks.StackSampler(lambda: bool(watches) and watches[0].is_between_runs, is_scripts) as sampler:
            execute()
    except BaseException as error:
        end = error
    # Otherwise this is a process that the script forked, or the script never started, which was reported.
    if os.getpid() == process and (script_run.launcher is not None or isinstance(end, KeyboardInterrupt)):
        if end is None or isinstance(end, SystemExit):
            _wait_for_threads()
        lines = collections.Counter(
            {(script_run.shown(path), *rest): count for (path, *rest), count in sampler.lines.items()}
        )
        try:
            problem = _print_figures(watches[0].runs if watches else None, lines, warm_up, json_path, out)
        except (OSError, UserError) as error:
            _exit_unprinted(error, out)
        if problem is not None:
            user_script.print_message(problem)
        if problem is not None and (end is None or isinstance(end, SystemExit) and not end.code):
            raise SystemExit(FAILED)
        if isinstance(end, KeyboardInterrupt):  # the user ends the measurement
            user_script.print_message("interrupted")
            raise SystemExit(INTERRUPTED)
    if end is not None:
        raise end


def _exit_unprinted(error: Exception, out: Any) -> NoReturn:
    """Exits after the figures could not be written."""
    if isinstance(error, UserError):
        user_script.print_message("error: {}".format(error))
        raise SystemExit(FAILED) from None
    # Python flushes the buffer at exit: redirect it, so that the error is not reported twice.
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
    if isinstance(error, BrokenPipeError):  # the reader (head, less) has gone
        raise SystemExit(PIPE_CLOSED) from None
    user_script.print_message("error: the figures can't be printed: {}".format(error.strerror or error))  # type: ignore[attr-defined]
    raise SystemExit(FAILED) from None


def _wait_for_threads() -> None:
    """Waits for all threads that are not daemons, as Python does at exit: their session runs count, too."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _print_figures(
    runs: Optional[List[Any]], lines: Any, warm_up: int, json_path: Optional[str], out: Any
) -> Optional[str]:
    """Prints and writes the figures; returns an error message if there are none."""
    no_figures = "no step was measured" + ("" if json_path is None else ", and {} is not written".format(json_path))
    if runs is None:
        if "tensorflow" in sys.modules:
            return (
                "{}: TensorFlow was imported by a library, and by no file of the script; add `import tensorflow as tf` "
                "or `from legacy_towers.compat import tf` at the top of the script"
            ).format(no_figures)
        return "{}: the script did not import TensorFlow".format(no_figures)
    from legacy_towers.run.bottleneck import figures, output

    if not runs:
        return "{}: no session run of the script finished".format(no_figures)
    try:
        found = figures.of_runs(runs, warm_up)
    except ValueError as error:
        return "{}: {} ({} finished; --warm-up {} leaves out the first steps)".format(
            no_figures, error, "1 session run" if len(runs) == 1 else "{} session runs".format(len(runs)), warm_up
        )
    hottest = output.hottest_lines(lines)
    print("\n" + output.as_text(found, hottest, layout_of(out)), file=out, flush=True)
    if json_path is not None:
        write_whole(json_path, output.json_text(found, hottest) + "\n", "the figures")
    return None
