"""Runs a script or a job for its first steps and prints what the checks find."""
import os
import sys
import threading
import time
from typing import Any, Callable, List, NamedTuple, NoReturn, Optional, Sequence

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.user_script import ScriptRun
from legacy_towers.run.bottleneck import watched_compat

FAILED = 1
# Seconds between two looks at the main thread's session run.
_INTERVAL = 0.2


class Settings(NamedTuple):
    """How to examine a script.

    Attributes:
      select, ignore: codes of checks, see `registry.checks`.
      as_json: whether to print one JSON object.
      timeout: seconds after which a session run of the main thread counts as one that never ends.
    """

    select: Sequence[str]
    ignore: Sequence[str]
    as_json: bool
    timeout: float


def _unknown() -> None:
    """Returns the number of steps of a job, whose session runs are not counted."""


def diagnose(execute: Callable[[], None], script_run: ScriptRun, settings: Settings, out: Any) -> None:
    """Runs a script, whose runtime limits its steps, and prints what the checks find in its graphs.

    Args:
      execute: runs the script.
      script_run: the run of the script, with its runtime.
      settings: how to examine it.
      out: the text file to print to.

    Raises:
      SystemExit: with code 1 if the script succeeded and a finding is an error.
      BaseException: the script's own error, raised again after the findings are printed.
    """
    observers: List[Any] = []

    def steps() -> Optional[int]:
        limit = None if script_run.runtime is None else script_run.runtime.step_limit
        return None if limit is None else limit.done

    def begin_to_observe() -> None:
        # Not before: the script may set environment variables before it imports TensorFlow.
        from legacy_towers.run.runtime import observation

        observers.append(observation.Observer())
        script_run.runtime.observer = observers[0]
        threading.Thread(target=_end_blocked, args=(observers[0], settings, out, steps), daemon=True).start()

    script_run.when_tensorflow_is_there(begin_to_observe)
    script_run.replaced_modules[watched_compat.MODULE] = watched_compat.__name__
    process = os.getpid()
    end: Optional[BaseException] = None
    try:
        execute()
    except BaseException as error:
        end = error
    # Otherwise this is a process that the script forked, or the script never started, which was reported.
    if os.getpid() == process and script_run.launcher is not None:
        has_errors = _print_findings(observers[0] if observers else None, settings, out, steps)
        if has_errors and (end is None or isinstance(end, SystemExit) and not end.code):
            raise SystemExit(FAILED)
    if end is not None:
        raise end


def diagnose_job(train_observed: Callable[[Callable[[Any], None]], Any], settings: Settings, out: Any) -> int:
    """Trains a job for some steps, and prints what the checks find in its graphs.

    Args:
      train_observed: trains it, and returns a `doctor.job.JobRun`; it gets a function that watches the run.
      settings: how to examine it.
      out: the text file to print to.

    Returns:
      The exit code: 1 if a finding is an error.
    """
    run = train_observed(lambda observer: _end_blocked(observer, settings, out))
    has_errors = _print_findings(run.observer, settings, out)
    if run.interrupted is not None:
        return 128 + int(run.interrupted)
    return FAILED if has_errors else 0


def _end_blocked(
    observer: Any, settings: Settings, out: Any, steps: Callable[[], Optional[int]] = _unknown
) -> NoReturn:
    """Prints the findings and ends the process when a session run lasts too long: a blocked run can't be cancelled."""
    from legacy_towers.doctor.output import shown_line

    while observer.seconds_of_main_run() < settings.timeout:
        time.sleep(_INTERVAL)
    line = observer.give_up_main_run()
    user_script.print_message("stopped: a session run took longer than {:g} s (--timeout){}".format(
        settings.timeout, ": " + shown_line(line) if line else ""))
    _print_findings(observer, settings, out, steps)
    sys.stderr.flush()
    os._exit(FAILED)


def _print_findings(
    observer: Optional[Any], settings: Settings, out: Any, steps: Callable[[], Optional[int]] = _unknown
) -> bool:
    """Prints what the checks find; returns whether an error is among it.

    Args:
      steps: returns how many session runs `--steps` has counted; None if that is not known.
    """
    if observer is None:
        user_script.print_message("nothing was examined: the script did not import TensorFlow")
        return False
    from legacy_towers.doctor import output
    from legacy_towers.doctor.examine import examine

    graphs = [(graph, observed) for graph, observed in observer.graphs.items() if observed.runs]
    if not graphs:
        user_script.print_message("nothing was examined: no session has run in the script's own process")
    findings = examine(graphs, settings.select, settings.ignore)
    subject = output.counted_subject(len(graphs), sum(len(observed.runs) for _, observed in graphs), steps())
    text = output.as_json(findings, subject) if settings.as_json else output.as_text(findings, subject)
    print(text if settings.as_json else "\n" + text, file=out, flush=True)
    return output.has_errors(findings)
