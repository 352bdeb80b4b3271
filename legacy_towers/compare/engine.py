"""Runs a comparison at each number of towers and collects the results in a document."""
import datetime
import platform
import shlex
from typing import Any, Dict, List, Sequence

from legacy_towers.compare.candidates import Candidates
from legacy_towers.compare.measuring import SETTLE_STEPS, Measurement, ReportLine
from legacy_towers.compare.rows import make_rows
from legacy_towers.compare.settings import CompareSettings, JobCall, batch_size
from legacy_towers.compare.verdict import verdict_of
from legacy_towers.compat import tf
from legacy_towers.compat.versions.onednn import onednn_state
from legacy_towers.measure.resources import cpu_model, load_average, usable_cores
from legacy_towers.report.document import Document, Parity, Proof, Row
from legacy_towers.training.job import Job
from legacy_towers.version import VERSION


def compare(
    call: JobCall,
    job: Job,
    settings: CompareSettings,
    candidates: Candidates,
    report_progress: ReportLine,
    show_log: ReportLine,
    command: Sequence[str] = (),
) -> Document:
    """Measures every candidate at each number of towers and returns the document.

    Args:
      call: how each process creates the job.
      report_progress: called with one line at the start of each phase.
      show_log: called with what a failed process printed.
      command: the command line's arguments, for the document.
    """
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    found_environment = environment()  # before this comparison itself adds to the load average
    rows: List[Row] = []
    verdicts = {}
    parity: List[Parity] = []
    proofs: List[Proof] = []
    for towers in settings.towers:
        measured = Measurement(call, job, settings, candidates, towers, report_progress, show_log).run()
        parity += measured.parity
        proofs += measured.proofs
        rows += make_rows(candidates, towers, measured, rows)
        rows_here = [row for row in rows if row.towers == towers]
        verdicts[str(towers)] = verdict_of(rows_here, candidates.current, measured.proofs)
    return Document(
        job=call.name,
        job_file=call.job,
        job_options=dict(call.options),
        subject=candidates.subject,
        date=date,
        command=" ".join(map(shlex.quote, command)),
        environment=found_environment,
        settings=describe(settings, job, candidates),
        rows=rows,
        parity=parity,
        proofs=proofs,
        verdicts=verdicts,
    )


def environment() -> Dict[str, Any]:
    """Returns the versions and the machine that the figures depend on besides the job."""
    return {
        "legacy_towers": VERSION,
        "tensorflow": tf.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "cores": usable_cores(),
        "load_average": load_average(),
        "onednn": onednn_state(),
    }


def describe(settings: CompareSettings, job: Job, candidates: Candidates) -> Dict[str, Any]:
    """Returns the settings as the document records them."""
    described: Dict[str, Any] = {
        "towers": list(settings.towers),
        "steps": "as many as fill {:g} s".format(settings.turn_seconds) if settings.steps is None else settings.steps,
        "rounds": settings.rounds,
        "warm_up_steps": SETTLE_STEPS,
        "per_tower_batch_size": batch_size(settings, job),
        "device": settings.device,
    }
    described.update(candidates.shared)
    described["current"] = candidates.current
    reasons: Dict[str, List[str]] = {}
    for name, why in candidates.left_out:
        reasons.setdefault(why, []).append(name)
    described["left_out"] = ["{} ({})".format(", ".join(names), why) for why, names in reasons.items()]
    return described
