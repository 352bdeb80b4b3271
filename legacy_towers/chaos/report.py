"""Reports what disturbed runs lost or repeated, as text and as JSON."""
from typing import Any, Dict, List

from legacy_towers.chaos.faults import FAULTS
from legacy_towers.chaos.recording import Attempt, repeated_steps
from legacy_towers.chaos.runs import DisturbedRun, Outcome
from legacy_towers.inputs.position import EXACT
from legacy_towers.step.random_model import LOSSES_DIFFER

# Words for the kinds of findings, in the order of the summary.
_KINDS = (
    ("lost", "examples lost"), ("repeated", "examples repeated"), ("order", "other orders"),
    ("trajectory", "losses with other bits"), ("position", "examples by which positions are wrong"),
    ("steps", "wrong steps"), ("checkpoint", "checkpoints that can't be loaded"), ("exit code", "wrong exit codes"),
    ("message", "missing messages"), ("files", "files left"),
)


def describe_run(number: int, run: DisturbedRun) -> str:
    """Returns the lines on a run, such as

        run 3  ok      SIGTERM 1.2 ms after step 7: exit code 143; 0 steps repeated
    """
    happened = [_happened(attempt) for attempt in run.attempts if attempt.fault is not None]
    steps = repeated_steps([session for attempt in run.attempts for session in attempt.sessions])
    line = "run {:<3} {:<7} {}; {} step{} computed again".format(
        number, "BROKEN" if run.findings else "ok", ", then ".join(happened), steps, "" if steps == 1 else "s"
    )
    return "\n".join([line] + ["  {}: {}".format(each.kind, each.text) for each in run.findings])


def _happened(attempt: Attempt) -> str:
    assert attempt.fault is not None
    text = FAULTS[attempt.fault].describe(attempt.plan)
    if attempt.recorded is None:
        return "{} (did not happen: the run had ended)".format(text)
    return "{}: exit code {}".format(text, attempt.code)


def describe(outcome: Outcome) -> str:
    """Returns the summary."""
    first = outcome.reference.sessions[0]
    lines = ["{} runs, {} faults ({}); on resume: {} ({})".format(
        len(outcome.runs), sum(_faults(outcome).values()),
        ", ".join("{} {}".format(name, count) for name, count in _faults(outcome).items()), first.resume, first.reason,
    )]
    if not _compares_losses(outcome):
        lines.append("the losses were not compared: {}".format(
            "two runs that are not disturbed have other losses" if not outcome.compares_losses
            else "the plan does not promise the same"
        ))
    counts = _counts(outcome)
    shown = [(kind, words) for kind, words in _KINDS if counts[kind] or kind in _checked(outcome)]
    lines.append("; ".join("{:,} {}".format(counts[kind], words) for kind, words in shown))
    broken = sum(1 for run in outcome.runs if run.findings)
    lines.append("promises were broken in {} of {} runs".format(broken, len(outcome.runs)) if broken
                 else "every promise was kept")
    return "\n".join(lines)


def as_values(outcome: Outcome) -> Dict[str, Any]:
    """Returns the report as values for JSON."""
    first = outcome.reference.sessions[0]
    return {
        "job": outcome.settings.job,
        "input": outcome.settings.input,
        "steps": outcome.settings.steps,
        "seed": outcome.settings.seed,
        "resume": first.resume,
        "resume_reason": first.reason,
        "losses_compared": _compares_losses(outcome),
        "promises_kept": outcome.keeps_its_promises,
        "faults": _faults(outcome),
        "counts": _counts(outcome),
        "runs": [_run_values(run) for run in outcome.runs],
    }


def _run_values(run: DisturbedRun) -> Dict[str, Any]:
    return {
        "steps_computed_again": repeated_steps([each for attempt in run.attempts for each in attempt.sessions]),
        "findings": [each._asdict() for each in run.findings],
        "processes": [
            {
                "fault": attempt.fault,
                "plan": attempt.plan,
                "happened": attempt.recorded is not None,
                "exit_code": attempt.code,
                "began_after_step": attempt.sessions[0].begin if attempt.sessions else None,
                "seconds": round(attempt.seconds, 2),
            }
            for attempt in run.attempts
        ],
    }


def _faults(outcome: Outcome) -> Dict[str, int]:
    """Returns how often each fault happened."""
    happened: List[Any] = [each.fault for run in outcome.runs for each in run.attempts if each.recorded is not None]
    return {name: happened.count(name) for name in outcome.settings.faults}


def _counts(outcome: Outcome) -> Dict[str, int]:
    found = [each for run in outcome.runs for each in run.findings]
    return {kind: sum(each.size for each in found if each.kind == kind) for kind, _ in _KINDS}


def _compares_losses(outcome: Outcome) -> bool:
    first = outcome.reference.sessions[0]
    return outcome.compares_losses and first.resume == EXACT and LOSSES_DIFFER not in first.reason


def _checked(outcome: Outcome) -> List[str]:
    return ["lost", "repeated", "checkpoint", "exit code"] + (["trajectory"] if _compares_losses(outcome) else [])
