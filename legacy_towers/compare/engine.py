"""Runs a comparison: processes take turns, and what they measured becomes a document."""
import os
import platform
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from legacy_towers.compare.candidates import SYNTHETIC, Candidates
from legacy_towers.compare.processes import Pool, WorkerFailed
from legacy_towers.compare.rows import Measured, make_rows
from legacy_towers.compare.same_data import same_data
from legacy_towers.compare.settings import CompareSettings, JobCall, batch_size
from legacy_towers.compare.tasks import REPLAY
from legacy_towers.compare.verdict import verdict_of
from legacy_towers.compat import tf
from legacy_towers.jobs import Job
from legacy_towers.measure.resources import usable_cores
from legacy_towers.measure.rounds import order_of_rounds, steps_of_turn
from legacy_towers.report.document import Document, Parity, Row

STARTING_AT_ONCE = 2  # importing TensorFlow and building a graph takes a core each
SETTLE_STEPS = 3
TRACE_ROUNDS = 3
TRACE = {"do": "trace", "settle": 4, "steps": 3, "between": 2}  # steps of a round
LEAST_STEPS, MOST_STEPS = 5, 2000  # of a turn

Say = Callable[[str], None]




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
    for towers in settings.towers:
        measured = measure(call, job, settings, candidates, towers, say, show_log)
        parity += measured.parity
        rows += make_rows(candidates.ways, towers, measured, rows)
        verdicts[str(towers)] = verdict_of([row for row in rows if row.towers == towers], candidates.current)
    return Document(
        job=call.name,
        job_file=call.job,
        job_options=dict(call.options),
        machine=machine(),
        settings=describe(settings, job, candidates),
        rows=rows,
        parity=parity,
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
    return {
        "towers": list(settings.towers),
        "steps": "as many as fill {:g} s".format(settings.turn_seconds) if settings.steps is None else settings.steps,
        "rounds": settings.rounds,
        "warm_up_steps": SETTLE_STEPS,
        "per_tower_batch_size": batch_size(settings, job),
        "device": settings.device,
        "current": candidates.current,
        "left_out": ["{} ({})".format(way, why) for way, why in candidates.left_out],
    }


def measure(
    call: JobCall, job: Job, settings: CompareSettings, candidates: Candidates, towers: int, say: Say, show_log: Say
) -> Measured:
    """Returns what was measured at one number of towers."""
    size = batch_size(settings, job)
    measured = Measured(size * towers)

    def fail(name: str, failure: WorkerFailed) -> None:
        measured.failed[name] = str(failure)
        say("{} failed: {}".format(name, failure))
        if failure.log:
            show_log("what the process of {} printed last:\n{}".format(name, failure.log))

    names = candidates.ways + [REPLAY]
    with Pool(settings.timeout) as pool:
        builds = [(name, _build_command(call, settings, name, candidates, towers, size)) for name in names]

        def built(name: str, reply: Any) -> None:
            if isinstance(reply, WorkerFailed):
                fail(name, reply)
                return
            measured.plans[name] = reply["plan"]
            say("{}: {} of {} processes ready".format(_towers(towers), len(measured.plans), len(names)))

        pool.start(builds, STARTING_AT_ONCE, built)
        running = [name for name in names if name in measured.plans]

        def ask(name: str, command: Dict[str, Any]) -> Optional[Any]:
            if name in measured.failed:
                return None
            try:
                return pool.ask(name, command)
            except WorkerFailed as failure:
                fail(name, failure)
                return None

        steps: Dict[str, int] = {}
        say("{}: warm-up".format(_towers(towers)))
        for name in running:
            turn = {"do": "turn", "settle": 2, "steps": settings.steps, "seconds": settings.turn_seconds / 2}
            reply = ask(name, turn)
            if reply is not None:
                usual = float(np.median(reply["step_seconds"]))
                fitting = steps_of_turn(usual, settings.turn_seconds, LEAST_STEPS, MOST_STEPS)
                steps[name] = settings.steps or fitting
        for number, order in enumerate(order_of_rounds(running, settings.rounds, settings.seed), start=1):
            say("{}: round {} of {}".format(_towers(towers), number, settings.rounds))
            for name in order:
                turn = {"do": "turn", "settle": SETTLE_STEPS, "steps": steps.get(name), "seconds": 0.0}
                reply = ask(name, turn)
                if reply is not None:
                    measured.turns.setdefault(name, []).append(reply)
        say("{}: traces".format(_towers(towers)))
        for order in order_of_rounds(running, TRACE_ROUNDS, settings.seed + 1):
            for name in order:
                if name == REPLAY:
                    continue
                reply = ask(name, dict(TRACE))
                if reply is not None:
                    measured.traces.setdefault(name, []).append(reply)
        for name in running:
            reply = ask(name, {"do": "resources"})
            if reply is not None:
                measured.resources[name] = reply
        if settings.parity:
            say("{}: the same examples?".format(_towers(towers)))
            pool.drop(REPLAY)
            pool.drop(SYNTHETIC)
            rates = {name: float(np.median(measured.rates(name))) for name in candidates.ways if name in pool}
            measured.parity = same_data(pool, job, rates, towers, size * towers, STARTING_AT_ONCE)
    return measured


def _build_command(
    call: JobCall, settings: CompareSettings, name: str, candidates: Candidates, towers: int, size: int
) -> Dict[str, Any]:
    command = {
        "do": "build", "job": call.job, "options": call.options, "way": name, "towers": towers,
        "device": settings.device, "per_tower_batch_size": size,
    }
    if name == REPLAY:
        command["source"] = candidates.current
    return command


def _towers(towers: int) -> str:
    return "1 tower" if towers == 1 else "{} towers".format(towers)
