"""Watches a script from its begin to its end, and then says what was seen."""
import os
import threading
from typing import Any, Callable, List, NoReturn, Optional

from legacy_towers.errors import UserError
from legacy_towers.oldtf import current
from legacy_towers.oldtf.bottleneck import stacks
from legacy_towers.oldtf.current import ScriptRun
from legacy_towers.whole_file import write_whole

FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141


def measure(
    execute: Callable[[], None], script_run: ScriptRun, warm_up: int, json_path: Optional[str], out: Any
) -> None:
    """Runs a script to its end, watches it, and prints the figures.

    Args:
      execute: runs the script.
      script_run: its run, with its machine.
      warm_up: how many steps are left out.
      json_path: where the figures are written too; None writes none.
      out: where the text goes.

    Raises:
      SystemExit: with code 1, after one sentence, where the script ended well and nothing can be told of it; with code
        130 after Ctrl-C.
      BaseException: the script did; the figures are printed all the same.
    """
    watches: List[Any] = []

    def begin_to_watch() -> None:
        from legacy_towers.oldtf.bottleneck import watch

        watches.append(watch.Watch())
        script_run.machine.watch = watches[0]

    # Not now: the script sets environment variables before it imports TensorFlow.
    script_run.when_tensorflow_is_there(begin_to_watch)

    def is_scripts(path: str) -> bool:
        # Not `owns`: the file of the command legacy-towers, outside of which the script runs, may be anywhere.
        return path in script_run.files

    process = os.getpid()
    end: Optional[BaseException] = None
    try:
        with stacks.StackSampler(lambda: bool(watches) and watches[0].is_between_runs, is_scripts) as sampler:
            execute()
    except BaseException as error:
        end = error
    # Else the script forked it; or there is no script, which was said.
    if os.getpid() == process and (script_run.launcher is not None or isinstance(end, KeyboardInterrupt)):
        if end is None or isinstance(end, SystemExit):
            _wait_for_threads()
        try:
            problem = _tell(watches[0].runs if watches else None, sampler.lines, warm_up, json_path, out)
        except (OSError, UserError) as error:
            _end_unheard(error, out)
        if problem is not None:
            current.say(problem)
        if problem is not None and (end is None or isinstance(end, SystemExit) and not end.code):
            raise SystemExit(FAILED)
        if isinstance(end, KeyboardInterrupt):  # whoever measures has seen enough
            current.say("interrupted")
            raise SystemExit(INTERRUPTED)
    if end is not None:
        raise end


def _end_unheard(error: Exception, out: Any) -> NoReturn:
    """Ends the process where the figures could not be written."""
    if isinstance(error, UserError):
        current.say("error: {}".format(error))
        raise SystemExit(FAILED) from None
    # What is left is flushed once more at exit: let that go nowhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
    if isinstance(error, BrokenPipeError):  # the reader (head, less) has gone
        raise SystemExit(PIPE_CLOSED) from None
    current.say("error: the figures can't be printed: {}".format(error.strerror or error))  # type: ignore[attr-defined]
    raise SystemExit(FAILED) from None


def _wait_for_threads() -> None:
    """Waits for the threads that Python itself waits for before it ends: their session runs belong to the figures."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _tell(runs: Optional[List[Any]], lines: Any, warm_up: int, json_path: Optional[str], out: Any) -> Optional[str]:
    """Prints the figures and writes them; returns why there are none, in a sentence."""
    untold = "nothing can be told" + ("" if json_path is None else ", and {} is not written".format(json_path))
    if runs is None:
        return "{}: the script did not come to import TensorFlow".format(untold)
    from legacy_towers.oldtf.bottleneck import figures, words

    if not runs:
        return "{}: no session run of the script came to its end".format(untold)
    try:
        found = figures.of_runs(runs, warm_up)
    except ValueError as error:
        return "{}: {} ({} seen; --warm-up {} leaves out the first)".format(
            untold, error, "1 session run was" if len(runs) == 1 else "{} session runs were".format(len(runs)), warm_up
        )
    hottest = words.hottest_lines(lines)
    print("\n" + words.as_text(found, hottest), file=out, flush=True)
    if json_path is not None:
        write_whole(json_path, words.json_text(found, hottest) + "\n", "the figures")
    return None
