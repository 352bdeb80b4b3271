"""What becomes of the queues of the whole scripts in tests/migrate/corpus: converted with proof, refused, rewritten.

    python tests/benchmarks/migration_corpus.py [--without-source] [SCRIPT ...]

Each script runs as `legacy-towers run --queues-to-dataset --prove` runs it, with the TensorFlow of this Python, and its
source is read as `legacy-towers migrate SCRIPT --diff` reads it. A script counts as converted if all of its queues are
and each is proven to give the same examples.
"""
import argparse
import contextlib
import io
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from migrate.corpus import data_files, script_runs, small_data_files  # noqa: E402

from legacy_towers.cli.main import main as command  # noqa: E402
from legacy_towers.compat import tf  # noqa: E402
from legacy_towers.migrate.conversion.plans import REFUSED  # noqa: E402
from legacy_towers.migrate.proof.values import DIFFERENT, PROVEN  # noqa: E402

CONVERTED = "converted, proven"


def conversion_of(name, data):
    """Returns what becomes of the queues of a script that runs."""
    plans = script_runs.run(name, data).plans
    refused = [plan["reason"] for plan in plans if plan["promise"] == REFUSED]
    if refused:
        return "refused: " + refused[0]
    verdicts = [plan["proof"]["verdict"] for plan in plans]
    if verdicts and all(verdict == PROVEN for verdict in verdicts):
        return CONVERTED
    return "DIFFERENT" if DIFFERENT in verdicts else "not proven"


def rewriting_of(name):
    """Returns "rewritten", or why the source of a script stays."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = command(["migrate", script_runs.path_of(name), "--diff"])
    if not code:
        return "rewritten"
    found = re.search(r"^left: .*?\.py:\d+:\d+: (.*)$", output.getvalue(), re.MULTILINE)
    return found.group(1) if found else "stays"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scripts", nargs="*", help="names without .py; by default all")
    parser.add_argument("--without-source", action="store_true", help="leave the rewriting out, which needs libcst")
    arguments = parser.parse_args()
    names = arguments.scripts or script_runs.names()
    queues, sources = [], []
    with tempfile.TemporaryDirectory() as data:
        data_files.write(data)
        small_data_files.write(data)
        for name in names:
            queues.append(conversion_of(name, data))
            sources.append("" if arguments.without_source else rewriting_of(name))
            print("{:32} {}; {}".format(name, queues[-1], sources[-1]).rstrip("; "), flush=True)
    converted, refused = queues.count(CONVERTED), sum(each.startswith("refused") for each in queues)
    print("TensorFlow {}, {} scripts: the queues of {} are converted with proof, of {} refused, of {} neither; {} are "
          "rewritten".format(tf.__version__, len(names), converted, refused, len(names) - converted - refused,
                             sources.count("rewritten")))


if __name__ == "__main__":
    main()
