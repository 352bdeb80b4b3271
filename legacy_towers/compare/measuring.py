"""The turns of the candidates at one number of towers, each in a process of its own."""
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from legacy_towers.compare.candidates import SYNTHETIC, Candidate, Candidates
from legacy_towers.compare.processes import Pool, WorkerFailed
from legacy_towers.compare.rows import REPLAY, Measured
from legacy_towers.compare.same_data import same_data
from legacy_towers.compare.same_numbers import same_numbers
from legacy_towers.compare.settings import CompareSettings, JobCall, batch_size
from legacy_towers.jobs import Job
from legacy_towers.measure.rounds import order_of_rounds, steps_of_turn
from legacy_towers.report.document import INPUTS

STARTING_AT_ONCE = 2  # importing TensorFlow and building a graph takes a core each
SETTLE_STEPS = 3
TRACE_ROUNDS = 3
TRACE = {"do": "trace", "settle": 4, "steps": 3, "between": 2}  # steps of a round
LEAST_STEPS, MOST_STEPS = 5, 2000  # of a turn

Say = Callable[[str], None]


class Measurement:
    """Measures all candidates at one number of towers; see `run`.

    Args:
      call: how each process makes the job.
      job: the job as this process made it.
      settings: checked ones.
      candidates: of `find_candidates`.
      towers: how many.
      say: told of each phase, one line.
      show_log: told what a failing process printed.
    """

    def __init__(
        self, call: JobCall, job: Job, settings: CompareSettings, candidates: Candidates, towers: int, say: Say,
        show_log: Say,
    ) -> None:
        self._call = call
        self._job = job
        self._settings = settings
        self._candidates = candidates
        self._towers = towers
        self._words = "1 tower" if towers == 1 else "{} towers".format(towers)
        self._say = say
        self._show_log = show_log
        # What input costs is the question only where ways in are compared.
        self._names = candidates.names() + ([REPLAY] if candidates.subject == INPUTS else [])
        self._running: List[str] = []
        self._measured = Measured(candidates.subject)

    def run(self) -> Measured:
        """Returns what was measured."""
        with Pool(self._settings.timeout) as pool:
            self._build(pool)
            steps = self._warm_up(pool)
            self._take_turns(pool, steps)
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

    def _warm_up(self, pool: Pool) -> Dict[str, int]:
        """Returns how many steps each one's turn has."""
        steps: Dict[str, int] = {}
        self._phase("warm-up")
        for name in self._running:
            seconds = self._settings.turn_seconds
            reply = self._turn(pool, name, 2, self._settings.steps, seconds / 2)
            if reply is not None:
                usual = float(np.median(reply["step_seconds"]))
                steps[name] = self._settings.steps or steps_of_turn(usual, seconds, LEAST_STEPS, MOST_STEPS)
        return steps

    def _take_turns(self, pool: Pool, steps: Dict[str, int]) -> None:
        rounds = self._settings.rounds
        for number, order in enumerate(order_of_rounds(self._running, rounds, self._settings.seed), start=1):
            self._phase("round {} of {}".format(number, rounds))
            for name in order:
                reply = self._turn(pool, name, SETTLE_STEPS, steps.get(name), 0.0)
                if reply is not None:
                    self._measured.turns.setdefault(name, []).append(reply)

    def _turn(self, pool: Pool, name: str, settle: int, steps: Optional[int], seconds: float) -> Optional[Any]:
        return self._ask(pool, name, {"do": "turn", "settle": settle, "steps": steps, "seconds": seconds})

    def _trace(self, pool: Pool) -> None:
        self._phase("traces")
        for order in order_of_rounds(self._running, TRACE_ROUNDS, self._settings.seed + 1):
            for name in order:
                reply = None if name == REPLAY else self._ask(pool, name, dict(TRACE))
                if reply is not None:
                    self._measured.traces.setdefault(name, []).append(reply)

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
        self._say("{} failed: {}".format(name, failure))
        if failure.log:
            self._show_log("what the process of {} printed last:\n{}".format(name, failure.log))

    def _phase(self, text: str) -> None:
        self._say("{}: {}".format(self._words, text))
