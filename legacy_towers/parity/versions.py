"""Compares one job under two versions of TensorFlow, from the same initial values."""
import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional

from legacy_towers import tensorflow_logs
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.parity.findings import Finding, compare_records
from legacy_towers.parity.recording import Request, read_record
from legacy_towers.parity.worker import EXPLAINED
from legacy_towers.training.settings import check_at_least_one
from legacy_towers.version import VERSION

_PROBE = "import legacy_towers; print(legacy_towers.__version__)"


class JobFailed(Exception):
    """A job failed with an error of its own code; the message contains its traceback."""


class VersionParity(NamedTuple):
    """The result of comparing two versions of TensorFlow; `str` returns it as text.

    Attributes:
      first, second: the two versions, such as "TensorFlow 1.15.5 (Python 3.7.16)".
      agrees: whether all comparisons with a bound are within it.
      findings: one per comparison.
    """

    first: str
    second: str
    agrees: bool
    findings: List[Finding]

    def __str__(self) -> str:
        lines = ["{} against {}".format(self.first, self.second)]
        for finding in self.findings:
            mark = {True: "same", False: "DIFFERS", None: "note"}[finding.agrees]
            lines.append("  {:<8}{:<16}{}".format(mark, finding.subject, finding.sentence))
        different = [finding.subject for finding in self.findings if finding.agrees is False]
        lines.append("they compute the same, within the bounds" if self.agrees else "they differ in: {}".format(
            ", ".join(different)
        ))
        return "\n".join(lines)

    def as_dict(self) -> Dict[str, Any]:
        """Returns the result as values for JSON."""
        rows = []
        for finding in self.findings:
            row = dict(finding._asdict())
            if row["worst"] == float("inf"):
                row["worst"] = None  # JSON has no infinity
            rows.append(row)
        return {"first": self.first, "second": self.second, "agrees": self.agrees, "findings": rows}


def compare_versions(
    job: str,
    python: str,
    options: Optional[Dict[str, Any]] = None,
    towers: int = 2,
    device: str = "cpu",
    per_tower_batch_size: Optional[int] = None,
    steps: int = 10,
) -> VersionParity:
    """Runs a job under the TensorFlow of this Python and of another one, each in its own process.

    Both use the initial values and batches of this Python; the other one also reads its own batches, which are
    compared with these.

    Args:
      job: the JOB argument of the command line.
      python: the other Python interpreter; legacy_towers and TensorFlow must be installed there.
      options: the job's own options.
      towers, device, per_tower_batch_size: as for training.

    Raises:
      ArgumentError: `python` does not exist or has another version of legacy_towers, or an option is out of range.
      JobError: the job can't be built with these options under one of the two.
      JobFailed: the job failed with an error of its own; the message has its traceback.
    """
    check_at_least_one("--steps", steps)
    check_at_least_one("--per-tower-batch-size", per_tower_batch_size)
    check_python(python)
    with tempfile.TemporaryDirectory(prefix="legacy-towers-parity-") as folder:
        folders = [os.path.join(folder, "first"), os.path.join(folder, "second")]
        for number, (interpreter, own) in enumerate(zip([sys.executable, python], folders)):
            os.mkdir(own)
            reference = folders[0] if number else None
            request = Request(job, dict(options or {}), towers, device, per_tower_batch_size, steps, own, reference)
            _run(interpreter, request)
        findings = compare_records(folders[0], folders[1], steps)
        first, second = (_title(read_record(own)) for own in folders)
    return VersionParity(first, second, not any(finding.agrees is False for finding in findings), findings)


def check_python(python: str) -> None:
    """Raises ArgumentError unless `python` runs and has this version of legacy_towers."""
    try:
        # From an empty folder: in a checkout, its folder would be imported instead of the installed package.
        with tempfile.TemporaryDirectory() as folder:
            found = subprocess.run(
                [python, "-c", _PROBE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                universal_newlines=True,
            )
    except OSError as error:
        raise ArgumentError("--python {!r} can't be run: {}".format(python, error.strerror)) from None
    if found.returncode:
        raise ArgumentError(
            "--python {!r} has no legacy_towers ({}): in a checkout of this version run {} -m pip install -e .".format(
                python, _last_line(found.stderr), python
            )
        )
    if found.stdout.strip() != VERSION:
        raise ArgumentError("--python {!r} has legacy_towers {}, this one is {}: install the same version there".format(
            python, found.stdout.strip(), VERSION
        ))


def _run(python: str, request: Request) -> None:
    path = os.path.join(request.folder, "request.json")
    with open(path, "w", encoding="utf-8") as target:
        json.dump(request._asdict(), target)
    # Not with -m, which would import from the working directory, perhaps a checkout, first.
    start = "import sys; sys.path.pop(0); from legacy_towers.parity.worker import main; sys.exit(main())"
    worker = subprocess.run(
        [python, "-c", start, path], stdout=sys.stderr, stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    logged, errors = tensorflow_logs.split_lines(worker.stderr)
    if tensorflow_logs.are_shown() and logged:
        sys.stderr.write(logged + "\n")
    if worker.returncode == EXPLAINED:
        raise JobError("under {}: {}".format(python, _last_line(errors)))
    if worker.returncode:
        # Warnings of Python precede the traceback.
        failure = ["the job failed under {}:".format(python), errors[max(errors.rfind("Traceback ("), 0):].strip()]
        if logged and not tensorflow_logs.are_shown():
            failure[1:1] = ["TensorFlow's log:", logged]
        raise JobFailed("\n".join(failure))


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["without a message"])[-1]


def _title(record: Dict[str, Any]) -> str:
    return "TensorFlow {} (Python {})".format(record["tensorflow"], record["python"])
