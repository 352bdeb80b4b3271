"""Measures the candidates at one number of towers, in turns, each candidate in a process of its own."""
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from legacy_towers.compare.candidates import Candidates
from legacy_towers.compare.equal_examples import same_data
from legacy_towers.compare.equal_numbers import same_numbers
from legacy_towers.compare.processes import Pool, WorkerFailed
from legacy_towers.compare.rows import REPLAY, Measured
from legacy_towers.compare.settings import CompareSettings, JobCall, batch_size
from legacy_towers.measure.candidate import Candidate
from legacy_towers.measure.rounds import (
    LEAST_TURN_SECONDS,
    least_steps,
    order_of_rounds,
    steps_ahead_of,
    steps_of_turn,
)
from legacy_towers.measure.timed_step import TracedRun
from legacy_towers.report.document import INPUTS
from legacy_towers.specs.pipelines import SYNTHETIC
from legacy_towers.training.job import Job

STARTING_AT_ONCE = 2  # each process that imports TensorFlow and builds a graph uses a core
SETTLE_STEPS = 3
TRACE_ROUNDS = 3
TRACE = {"do": "trace", "settle": 4, "steps": 3, "between": 2}  # steps of a round
LEAST_STEPS, MOST_STEPS = 5, 2000  # of a turn

ReportLine = Callable[[str], None]


class Measurement:
    """Measures all candidates at one number of towers; see `run`. The arguments are as those of `compare`."""

    def __init__(
        self, call: JobCall, job: Job, settings: CompareSettings, candidates: Candidates, towers: int,
        report_progress: ReportLine, show_log: ReportLine,
    ) -> None:
        self._call = call
        self._job = job
        self._settings = settings
        self._candidates = candidates
        self._towers = towers
        self._title = "1 tower" if towers == 1 else "{} towers".format(towers)
        self._report_progress = report_progress
        self._show_log = show_log
        # The time that a step waits for input is measured only where input pipelines are compared.
        self._names = candidates.names() + ([REPLAY] if candidates.subject == INPUTS else [])
        self._running: List[str] = []
        self._measured = Measured(candidates.subject)

    def run(self) -> Measured:
        """Builds, warms up, times and traces all candidates, and returns what was measured."""
        with Pool(self._settings.timeout, self._show_log) as pool:
            self._build(pool)
            self._warm_up(pool)
            self._take_turns(pool)
            self._trace(pool)
            for name in self._running:
                reply = self._ask(pool, name, {"do": "resources"})
                if reply is not None:
                    self._measured.resources[name] = reply
            if self._settings.parity:
                self._prove(pool)
        return self._measured

    def _build(self, pool: Pool) -> None:
        by_name = {candidate.name: candidate for candidate in self._candidates.all}
        builds = [(name, self._build_command(by_name.get(name))) for name in self._names]

        def built(name: str, reply: Any) -> None:
            if isinstance(reply, WorkerFailed):
                self._fail(name, reply)
                return
            self._measured.plans[name] = reply["plan"]
            self._measured.examples_per_update[name] = reply["examples_per_update"]
            self._phase("{} of {} processes ready".format(len(self._measured.plans), len(self._names)))

        pool.start(builds, STARTING_AT_ONCE, built)
        self._running = [name for name in self._names if name in self._measured.plans]

    def _build_command(self, candidate: Optional[Candidate]) -> Dict[str, Any]:
        replay = candidate is None
        candidate = candidate or self._candidates.current_one()
        return {
            "do": "build", "job": self._call.job, "options": self._call.options, "input": candidate.input,
            "variables": candidate.variables, "reduction": candidate.reduction, "towers": self._towers,
            "device": self._settings.device, "per_tower_batch_size": batch_size(self._settings, self._job),
            "replay": replay,
        }

    def _warm_up(self, pool: Pool) -> None:
        """Runs a first turn of each candidate and decides from it how many steps its turns have."""
        self._phase("warm-up")
        lengthened = []
        for name in self._running:
            asked, seconds = self._settings.steps, self._settings.turn_seconds
            reply = self._turn(pool, name, asked, seconds / 2)
            if reply is None:
                continue
            usual = reply["seconds"] / len(reply["step_seconds"])
            least = least_steps(usual, self._ahead(name), MOST_STEPS)
            fitting = asked or steps_of_turn(usual, seconds, LEAST_STEPS, MOST_STEPS)
            self._measured.steps[name] = max(least, fitting)
            if asked is not None and least > asked and name != REPLAY:
                lengthened.append("{} steps for {}".format(least, name))
        if lengthened:
            self._phase(
                "--steps {} makes turns too short: prefetched batches could fill them, or they last less "
                "than {:g} s; they have {}".format(self._settings.steps, LEAST_TURN_SECONDS, ", ".join(lengthened))
            )

    def _ahead(self, name: str) -> int:
        """Returns how many steps' batches may be made before a turn."""
        return steps_ahead_of(self._measured.plans[name]["input"])

    def _take_turns(self, pool: Pool) -> None:
        rounds = self._settings.rounds
        for number, order in enumerate(order_of_rounds(self._running, rounds, self._settings.seed), start=1):
            self._phase("round {} of {}".format(number, rounds))
            for name in order:
                reply = self._turn(pool, name, self._measured.steps.get(name), 0.0)
                if reply is not None:
                    self._measured.turns.setdefault(name, []).append(reply)

    def _turn(self, pool: Pool, name: str, steps: Optional[int], seconds: float) -> Optional[Any]:
        # Consumes the batches that were prefetched since the last turn before time is measured.
        settle = max(SETTLE_STEPS, self._ahead(name))
        return self._ask(pool, name, {"do": "turn", "settle": settle, "steps": steps, "seconds": seconds})

    def _trace(self, pool: Pool) -> None:
        self._phase("traces")
        for order in order_of_rounds(self._running, TRACE_ROUNDS, self._settings.seed + 1):
            for name in order:
                reply = None if name == REPLAY else self._ask(pool, name, dict(TRACE))
                if reply is not None:
                    self._measured.traces.setdefault(name, []).append([TracedRun(*run) for run in reply["runs"]])

    def _prove(self, pool: Pool) -> None:
        names = [name for name in self._candidates.names() if name in pool]
        if self._candidates.subject != INPUTS:
            self._phase("the same numbers?")
            self._measured.proofs = same_numbers(
                pool, self._job, self._settings, self._candidates, self._towers, STARTING_AT_ONCE
            )
            return
        self._phase("the same examples?")
        pool.drop(REPLAY)
        pool.drop(SYNTHETIC)
        rates = {name: float(np.median(self._measured.rates(name))) for name in names if name in pool}
        examples = batch_size(self._settings, self._job) * self._towers
        self._measured.parity = same_data(pool, self._job, rates, self._towers, examples, STARTING_AT_ONCE)

    def _ask(self, pool: Pool, name: str, command: Dict[str, Any]) -> Optional[Any]:
        if name in self._measured.failed:
            return None
        try:
            return pool.ask(name, command)
        except WorkerFailed as failure:
            self._fail(name, failure)
            return None

    def _fail(self, name: str, failure: WorkerFailed) -> None:
        self._measured.failed[name] = str(failure)
        self._report_progress("{} failed: {}".format(name, failure))
        if failure.log:
            self._show_log("what the process of {} printed last:\n{}".format(name, failure.log))

    def _phase(self, text: str) -> None:
        self._report_progress("{}: {}".format(self._title, text))
