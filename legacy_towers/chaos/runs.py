"""Runs a job undisturbed, and then disturbed, in processes of `legacy-towers train`; compares each run with the first.

    run 1    process 1: a fault at step 7    process 2: a fault at step 31    process 3: to the end
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.chaos.comparison import Finding, check_attempts, check_steps, compare
from legacy_towers.chaos.faults import FAULTS
from legacy_towers.chaos.faults.base import Shape
from legacy_towers.chaos.recording import Attempt, Session, path_until, sessions_of
from legacy_towers.errors import RunError
from legacy_towers.specs.pipelines import parse_pipeline
from legacy_towers.training.checkpoints.lock import LOCK_FILE
from legacy_towers.training.checkpoints.marks import UNFINISHED
from legacy_towers.training.checkpoints.newest import list_checkpoints
from legacy_towers.training.checkpoints.verify import damage, tensor_damage
from legacy_towers.training.job import Job

# Faults of one run, each in a process of its own.
_MOST_FAULTS = 3
_WRAPPER = '''"""The job of a process that is disturbed."""
from legacy_towers.chaos.worker import wrapped_job

JOB = wrapped_job({!r})
'''


class ChaosSettings(NamedTuple):
    """What is disturbed, and how.

    Attributes:
      job: the JOB of the command line.
      options: the job's own options.
      arguments: the options of `legacy-towers train` for all processes.
      steps: the last global step of each run.
      input: the input pipeline.
      faults: names of faults.
      runs: the number of disturbed runs.
      seed: decides what happens when.
    """

    job: str
    options: Dict[str, Any]
    arguments: Sequence[str]
    steps: int
    input: str
    faults: Sequence[str]
    runs: int
    seed: int


class DisturbedRun(NamedTuple):
    """A disturbed run and what was found."""

    attempts: List[Attempt]
    findings: List[Finding]


class Outcome(NamedTuple):
    """The result of all runs.

    Attributes:
      settings: what was disturbed, and how.
      reference: the process that was not disturbed.
      runs: those that were.
      compares_losses: whether the losses were compared: two undisturbed runs have the same.
    """

    settings: ChaosSettings
    reference: Attempt
    runs: List[DisturbedRun]
    compares_losses: bool

    @property
    def keeps_its_promises(self) -> bool:
        """Whether no run has a finding."""
        return not any(run.findings for run in self.runs)


def disturb(settings: ChaosSettings, job: Job, report: Callable[[int, DisturbedRun], None]) -> Outcome:
    """Disturbs a job.

    Args:
      job: the job as created in this process; its examples name the ids.
      report: called after each run with its number, from 1.

    Raises:
      RunError: the run that is not disturbed fails.
    """
    source = random.Random(settings.seed)
    with tempfile.TemporaryDirectory(prefix="legacy-towers-chaos-") as folder:
        processes = _Processes(settings, folder)
        reference = processes.reference("reference")
        undisturbed, names = reference.sessions, processes.shapes_of_names("reference")
        steps = path_until(undisturbed)
        times = sorted(after.time - before.time for before, after in zip(steps, steps[1:])) or [0.0]
        shape = Shape(settings.steps, len(steps[0].ids), times[len(times) // 2])
        runs: List[DisturbedRun] = []
        compares_losses = True
        deck: List[str] = []
        for number in range(1, settings.runs + 1):
            drawn: List[Tuple[str, Dict[str, Any]]] = []
            for step in sorted(source.randrange(settings.steps) for _ in range(source.randint(1, _MOST_FAULTS))):
                if not deck:
                    deck = source.sample(list(settings.faults), len(settings.faults))
                name = deck.pop()
                drawn.append((name, FAULTS[name].draw(source, shape, step)))
            attempts = processes.disturbed(str(number), drawn, names, 60 + 10 * reference.seconds)
            findings = compare(undisturbed, attempts, settings.steps, job.train.name_of)
            if compares_losses and any(each.kind == "trajectory" for each in findings):
                again = processes.reference("again {}".format(number))
                compares_losses = _losses(again.sessions) == _losses(undisturbed)
            if not compares_losses:
                findings = [each for each in findings if each.kind != "trajectory"]
            runs.append(DisturbedRun(attempts, findings))
            report(number, runs[-1])
        return Outcome(settings, reference, runs, compares_losses)


def _losses(sessions: List[Session]) -> List[Tuple[int, str]]:
    return [(step.step, step.loss) for step in path_until(sessions)]


class _Processes:
    """The processes of all runs, in the checkpoint directories of a folder."""

    def __init__(self, settings: ChaosSettings, folder: str) -> None:
        self._settings = settings
        self._folder = folder
        faults = [FAULTS[name] for name in settings.faults]
        # The order of others is fixed by their seeds, so that it is enough to know which examples are used.
        self._ids = any(call.name == "queue" for call in parse_pipeline(settings.input))
        self._reads = any(fault.reads for fault in faults)
        self._poisons = any(fault.poisons for fault in faults)

    def reference(self, name: str) -> Attempt:
        """Runs the job undisturbed; raises RunError if that fails."""
        attempt = self._run(os.path.join(self._folder, name), None, {}, None)
        findings = check_attempts([attempt], self._settings.steps)
        if not findings:
            findings = check_steps(attempt.sessions, self._settings.steps)
        if findings:
            raise RunError("the run that is not disturbed fails: {}\n{}".format(findings[0].text, attempt.log))
        return attempt

    def disturbed(
        self, name: str, drawn: List[Tuple[str, Dict[str, Any]]], names: Sequence[str], limit: float
    ) -> List[Attempt]:
        """Runs the job with faults, each in a process of its own, and then to the end, unless one of them got there."""
        directory = os.path.join(self._folder, name)
        attempts: List[Attempt] = []
        for fault, plan in list(drawn) + [(None, {})]:
            attempt = self._run(directory, fault, plan, limit)
            problems = _unloadable(directory)
            if attempt.code is not None and attempt.code >= 0:
                problems += _left(directory)
            if attempt.code == 0:
                problems += [
                    ("files", "{!r} is left in the checkpoint directory".format(each))
                    for each in sorted(os.listdir(directory)) if _shape(each) not in names
                ]
            attempts.append(attempt._replace(problems=problems))
            if attempt.code == 0:
                break
        return attempts

    def shapes_of_names(self, name: str) -> List[str]:
        """Returns what the names of the files of a run look like."""
        return sorted({_shape(each) for each in os.listdir(os.path.join(self._folder, name))})

    def _run(self, directory: str, fault: Optional[str], plan: Dict[str, Any], limit: Optional[float]) -> Attempt:
        """Runs a process; after `limit` seconds it is killed."""
        reading, writing = os.pipe()
        spec = os.path.join(self._folder, "spec.json")
        with open(spec, "w", encoding="utf-8") as target:
            json.dump({
                "job": self._settings.job,
                "options": self._settings.options, "pipe": writing, "seed": self._settings.seed, "fault": fault,
                "plan": plan, "ids": self._ids, "reads": self._reads, "poisons": self._poisons,
            }, target)
        wrapper = os.path.join(self._folder, "disturbed.py")
        with open(wrapper, "w", encoding="utf-8") as target:
            target.write(_WRAPPER.format(spec))
        lines: List[bytes] = []
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "legacy_towers", "train", wrapper, "--checkpoint-dir", directory]
            + list(self._settings.arguments),
            pass_fds=[writing], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )
        os.close(writing)

        def read() -> None:
            with open(reading, "rb") as source:
                lines.extend(source)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        code: Optional[int] = None
        try:
            log = process.communicate(timeout=limit)[1]
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            log = process.communicate()[1]
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        reader.join(10)
        sessions, recorded = sessions_of(lines)
        seconds = time.monotonic() - started
        return Attempt(fault, plan, recorded, code, log.decode("utf-8", "replace"), sessions, seconds, [])


def _unloadable(directory: str) -> List[Tuple[str, str]]:
    """Returns the checkpoints of a directory that can't be loaded."""
    problems = []
    for each in list_checkpoints(directory):
        prefix = os.path.join(directory, each.name)
        wrong = damage(prefix) or tensor_damage(prefix)
        if wrong:
            problems.append(("checkpoint", "the checkpoint {} can't be loaded: {}".format(each.name, wrong)))
    return problems


def _left(directory: str) -> List[Tuple[str, str]]:
    """Returns what a process that was not killed may not leave."""
    names = os.listdir(directory) if os.path.isdir(directory) else []
    return [
        ("files", "{!r} is left in the checkpoint directory".format(each))
        for each in (LOCK_FILE, UNFINISHED) if each in names
    ]


def _shape(name: str) -> str:
    """Returns what a name of a file looks like, without its numbers."""
    return re.sub(r"\d+", "#", name)
