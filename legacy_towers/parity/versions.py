"""One job under two TensorFlows, from one set of initial values: is it the same, and where do they part?"""
import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional

from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.parity.findings import Finding, compare_records
from legacy_towers.parity.recording import Request, read_record
from legacy_towers.parity.worker import EXPLAINED
from legacy_towers.version import VERSION

_PROBE = "import legacy_towers; print(legacy_towers.__version__)"


class JobFailed(Exception):
    """A job ended with an error of its own; the message holds its traceback."""


class VersionParity(NamedTuple):
    """What a comparison of two TensorFlows found; print it.

    Attributes:
      first, second: "TensorFlow 1.15.5 (Python 3.7.16)".
      agrees: whether everything that has a bound is within it.
      findings: one per question.
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
        parted = [finding.subject for finding in self.findings if finding.agrees is False]
        lines.append(
            "they compute the same, within the bounds" if self.agrees else "they part at: {}".format(", ".join(parted))
        )
        return "\n".join(lines)

    def as_dict(self) -> Dict[str, Any]:
        """Returns dicts, lists, strings and numbers only, for `json.dumps`."""
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
    """Runs a job under this Python's TensorFlow and another's, each in a process of its own.

    The initial values and the batches are those of this Python; the other one reads its own batches too, for the
    comparison of the inputs.

    Args:
      job: a JOB, as the command line takes it.
      python: the other Python's interpreter; legacy_towers and TensorFlow must be installed there.
      options: the job's own options.
      towers, device, per_tower_batch_size: as for training.
      steps: how many steps are compared.

    Raises:
      ArgumentError: there is no such Python, or no legacy_towers of this version in it; an option is out of range.
      JobError: under one of the two the job can't be built as asked.
      JobFailed: it fails there; its traceback is in the message.
    """
    if steps < 1:
        raise ArgumentError("--steps is {}: at least 1 is needed".format(steps))
    if per_tower_batch_size is not None and per_tower_batch_size < 1:
        raise ArgumentError("--per-tower-batch-size is {}: at least 1 is needed".format(per_tower_batch_size))
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
        # From a folder of its own: a checkout's folder would be imported in place of what is installed.
        with tempfile.TemporaryDirectory() as folder:
            found = subprocess.run(
                [python, "-c", _PROBE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                universal_newlines=True,
            )
    except OSError as error:
        raise ArgumentError("--python {!r} can't be run: {}".format(python, error.strerror)) from None
    if found.returncode:
        raise ArgumentError(
            "--python {!r} has no legacy_towers ({}): install it there by {} -m pip install legacy_towers".format(
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
    environment = dict(os.environ)
    environment.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # The door of this process may have set it; the other one decides for itself.
    environment.pop("TF_USE_LEGACY_KERAS", None)
    # Not by -m: that would put the working folder, perhaps a checkout, before what is installed.
    start = "import sys; sys.path.pop(0); from legacy_towers.parity.worker import main; sys.exit(main())"
    worker = subprocess.run(
        [python, "-c", start, path], stdout=sys.stderr, stderr=subprocess.PIPE, env=environment,
        universal_newlines=True,
    )
    if worker.returncode == EXPLAINED:
        raise JobError("under {}: {}".format(python, worker.stderr.strip().splitlines()[-1]))
    if worker.returncode:
        # TensorFlow's warnings come before it.
        said = worker.stderr.strip()
        raise JobFailed("the job failed under {}:\n{}".format(python, said[max(said.rfind("Traceback ("), 0):]))


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no word why"])[-1]


def _title(record: Dict[str, Any]) -> str:
    return "TensorFlow {} (Python {})".format(record["tensorflow"], record["python"])
