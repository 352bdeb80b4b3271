"""Runs a comparison: what was measured at each number of towers becomes a document."""
import os
import platform
from typing import Any, Dict, List

from legacy_towers.compare.candidates import Candidates
from legacy_towers.compare.measuring import SETTLE_STEPS, Measurement, Say
from legacy_towers.compare.rows import make_rows
from legacy_towers.compare.settings import CompareSettings, JobCall, batch_size
from legacy_towers.compare.verdict import verdict_of
from legacy_towers.compat import tf
from legacy_towers.jobs import Job
from legacy_towers.measure.resources import usable_cores
from legacy_towers.report.document import Document, Parity, Proof, Row


def compare(
    call: JobCall, job: Job, settings: CompareSettings, candidates: Candidates, say: Say, show_log: Say
) -> Document:
    """Measures every candidate and returns what was found.

    Args:
      call: how each process makes the job.
      job: the job as this process made it.
      settings: checked ones.
      candidates: of `find_candidates`.
      say: told of each phase, one line.
      show_log: told what a failing process printed.
    """
    rows: List[Row] = []
    verdicts = {}
    parity: List[Parity] = []
    proofs: List[Proof] = []
    for towers in settings.towers:
        measured = Measurement(call, job, settings, candidates, towers, say, show_log).run()
        parity += measured.parity
        proofs += measured.proofs
        rows += make_rows(candidates, towers, measured, rows)
        here = [row for row in rows if row.towers == towers]
        verdicts[str(towers)] = verdict_of(here, candidates.current, measured.proofs)
    return Document(
        job=call.name,
        job_file=call.job,
        job_options=dict(call.options),
        subject=candidates.subject,
        machine=machine(),
        settings=describe(settings, job, candidates),
        rows=rows,
        parity=parity,
        proofs=proofs,
        verdicts=verdicts,
    )


def machine() -> Dict[str, Any]:
    """Returns what the figures depend on besides the job."""
    return {
        "cores": usable_cores(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "tensorflow": tf.__version__,
        "onednn": os.environ.get("TF_ENABLE_ONEDNN_OPTS"),
    }


def describe(settings: CompareSettings, job: Job, candidates: Candidates) -> Dict[str, Any]:
    """Returns the settings for the document."""
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
