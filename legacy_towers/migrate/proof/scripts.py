"""Verifies a rewritten script: runs it before and after, and compares what its sessions read."""
import collections
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.compat.versions import session_recorder
from legacy_towers.errors import ArgumentError
from legacy_towers.migrate.proof.values import DIFFERENT, NOT_COMPARED, PROVEN
from legacy_towers.text.documented_fields import documented_fields

_FIXED, _PLAIN = "fixed", "plain"
_SHOWN_LINES = 3


@documented_fields
class ScriptRecord(NamedTuple):
    """One run of a script.

    Attributes:
      version: "before" or "after" the rewriting.
      runner: what ran it: "legacy-towers run", or the path of a Python.
      exit_code: its exit code; None if it took too long.
      runs: the number of session runs that read examples.
      examples: the number of examples that they read.
      changed: what was changed to fix the order of examples, such as "queues do not shuffle".
      error: the end of its output on standard error, if it failed.
      reads: for each session run, what it read.
    """

    version: str
    runner: str
    exit_code: Optional[int]
    runs: int
    examples: int
    changed: Tuple[str, ...]
    error: str
    reads: List[List[Dict[str, Any]]]

    def to_json(self) -> Dict[str, Any]:
        """Returns the record, without what was read, as a dict for `json.dump`."""
        found = dict(self._asdict(), changed=list(self.changed))
        del found["reads"]
        return found


@documented_fields
class ScriptProof(NamedTuple):
    """Whether a script reads the same examples after its rewriting.

    Attributes:
      verdict: "proven", "different" or "not compared".
      reason: the first difference, or why it can't be compared; "" if it is proven.
      compared: what was compared, as a clause.
      records: the runs.
    """

    verdict: str
    reason: str
    compared: str
    records: Tuple[ScriptRecord, ...]

    def __str__(self) -> str:
        return "{}: {}".format(self.verdict.upper(), self.compared if self.verdict == PROVEN else self.reason)

    def to_json(self) -> Dict[str, Any]:
        """Returns the proof as a dict for `json.dump`."""
        return dict(self._asdict(), records=[each.to_json() for each in self.records])


def verify_command(
    before_dir: str, after_dir: str, command: str, python: Optional[str] = None, timeout: float = 600.0
) -> ScriptProof:
    """Runs a script in two versions of a folder, and compares the examples that its sessions read.

    Each run is in a child process and in a temporary copy of the folder: by `legacy-towers run`, and by a Python with
    TensorFlow 1.15, if one is given. Shuffling is off, one thread fills each queue, and random operations have fixed
    seeds, so that the order is fixed. Where that changed something, both versions are run as they are, too, and the
    numbers and shapes of their batches are compared.

    Args:
      before_dir: the folder before the rewriting.
      after_dir: the folder after it.
      command: the script, relative to the folder, and its arguments: "train.py --steps 10".
      python: the path of a Python that has TensorFlow 1.15; None: only `legacy-towers run`.
      timeout: how many seconds one run may take.

    Returns:
      A `ScriptProof`.

    Raises:
      ArgumentError: there is no such script, or no such Python.
    """
    words = shlex.split(command)
    for folder in (before_dir, after_dir):
        if not words or not os.path.isfile(os.path.join(folder, words[0])):
            raise ArgumentError(
                "--verify {!r}: there is no file {!r} in {}".format(command, " ".join(words[:1]), folder)
            )
    if python is not None and shutil.which(python) is None:
        raise ArgumentError("--python {}: there is no such program".format(python))
    proofs = [
        _verify(before_dir, after_dir, words, runner, timeout) for runner in [None] + ([python] if python else [])
    ]
    worst = next(
        (each for verdict in (DIFFERENT, NOT_COMPARED) for each in proofs if each.verdict == verdict), proofs[0]
    )
    compared = "; ".join("by {}: {}".format(each.records[0].runner, each.compared) for each in proofs if each.compared)
    return worst._replace(compared=compared, records=sum((each.records for each in proofs), ()))


def _verify(before_dir: str, after_dir: str, words: List[str], python: Optional[str], timeout: float) -> ScriptProof:
    records: List[ScriptRecord] = []
    failed = "by {}, the command fails after the rewriting: {}"

    def run(version: str, order: str) -> ScriptRecord:
        folder = before_dir if version == "before" else after_dir
        records.append(_run(version, folder, words, python, order, timeout))
        return records[-1]

    def done(verdict: str, reason: str, compared: str = "") -> ScriptProof:
        return ScriptProof(verdict, reason, compared, tuple(records))

    before = run("before", _FIXED)
    if before.exit_code != 0:
        return done(NOT_COMPARED, "by {}, the command fails before the rewriting: {}".format(
            before.runner, before.error
        ))
    if not before.runs:
        return done(NOT_COMPARED, "by {}, no session.run reads from a queue or an iterator".format(before.runner))
    after = run("after", _FIXED)
    if after.exit_code != 0:
        return done(DIFFERENT, failed.format(after.runner, after.error))
    hidden = [each for record in (before, after) for each in record.changed if each.endswith("can't be fetched")]
    changed = sorted(set(before.changed + after.changed) - set(hidden))
    found = _difference(before, after)
    compared = "the same {} examples in {} session runs, in the same order, bit for bit".format(
        before.examples, before.runs
    )
    if found is not None:
        again = run("before", _FIXED)
        if _difference(before, again) is not None:
            return done(NOT_COMPARED, "by {}, two runs before the rewriting differ from each other".format(
                before.runner
            ))
        if _examples(before) != _examples(after):
            return done(DIFFERENT, "by {}, {}".format(before.runner, found))
        compared = "the same {} examples, each as often, in another order".format(before.examples)
    if hidden:
        return done(NOT_COMPARED, "by {}, {}; what can be fetched is the same".format(before.runner, hidden[0]))
    if changed:
        compared += ", where " + ", ".join(changed)
        before, after = run("before", _PLAIN), run("after", _PLAIN)
        if before.exit_code == 0 and after.exit_code != 0:
            return done(DIFFERENT, failed.format(after.runner, after.error))
        shapes = [
            [sorted(str(sorted(read["described"])) for read in reads) for reads in each.reads]
            for each in (before, after)
        ]
        if shapes[0] != shapes[1]:
            return done(DIFFERENT, "by {}, the numbers or shapes of batches differ as the script is: {} examples in {} "
                        "session runs before, {} in {} after".format(before.runner, before.examples, before.runs,
                                                                    after.examples, after.runs))
        compared += "; as the script is, the same numbers and shapes of batches"
    return done(PROVEN, "", compared)


def _difference(before: ScriptRecord, after: ScriptRecord) -> Optional[str]:
    for number, (one, other) in enumerate(zip(before.reads, after.reads)):
        # Several operations that read in one run do so in any order.
        first, second = (sorted(each, key=lambda read: str(read["whole"])) for each in (one, other))
        if [each["whole"] for each in first] != [each["whole"] for each in second]:
            return "session run {} reads {} before, {} after".format(number + 1, _shown(first), _shown(second))
    if before.runs != after.runs:
        return "{} session runs read {} examples before, {} read {} after".format(
            before.runs, before.examples, after.runs, after.examples
        )
    return None


def _shown(reads: List[Dict[str, Any]]) -> str:
    return "; ".join(
        ", ".join("{} {}".format(*pair) for pair in zip(read["described"], read["shown"])) for read in reads
    )


def _examples(record: ScriptRecord) -> Any:
    return collections.Counter(row for reads in record.reads for read in reads for row in read["rows"])


def _run(
    version: str, folder: str, words: List[str], python: Optional[str], order: str, timeout: float
) -> ScriptRecord:
    recorder = os.path.abspath(session_recorder.__file__)
    with tempfile.TemporaryDirectory() as temporary:
        tree, out = os.path.join(temporary, "tree"), os.path.join(temporary, "record")
        shutil.copytree(folder, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        start = [python, recorder, out, order, "script"] if python else [
            sys.executable, recorder, out, order, "module", "legacy_towers", "run",
        ]
        code: Optional[int] = None
        try:
            ended = subprocess.run(
                start + words, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                timeout=timeout, check=False, universal_newlines=True, errors="replace",
            )
            code, lines = ended.returncode, ended.stderr.strip().splitlines()[-_SHOWN_LINES:]
            error = " / ".join([line.strip() for line in lines] or ["exit code {}".format(code)]) if code else ""
        except subprocess.TimeoutExpired:
            error = "it took more than {:g} seconds".format(timeout)
        reads, changed = _read(out)
    return ScriptRecord(
        version, python or "legacy-towers run", code, len(reads),
        sum(len(read["rows"]) for each in reads for read in each), tuple(changed), error, reads,
    )


def _read(path: str) -> Tuple[List[List[Dict[str, Any]]], List[str]]:
    reads, changed = [], []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                found = json.loads(line) if line.endswith("\n") else {}  # a killed process may leave half a line
                if "reads" in found:
                    reads.append(found["reads"])
                if "changed" in found:
                    changed.append(found["changed"])
    return reads, changed

