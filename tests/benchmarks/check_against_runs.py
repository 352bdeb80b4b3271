"""The recall and precision of `legacy-towers run --check`, compared with the names that scripts really look up.

    python tests/benchmarks/check_against_runs.py [NAME ...]

Each script of tests/scripts is run by `legacy-towers run` in another process, in which every look-up of a name of
TensorFlow from the script's own lines is recorded. Those that tensorflow.compat.v1 lacks would be AttributeErrors.
They are compared, by file, line and name, with the findings of --check, which runs nothing.

    recall      of the missing names that were looked up, the share that --check found
    precision   of the findings of --check, the share that was looked up; names in code that never ran count as wrong
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from run import script_table  # noqa: E402

RUN = """
import json, os, sys
from legacy_towers.compat.tf1 import tree
look_up = set()
folder = os.path.realpath(sys.argv[1])

def place():
    frame = sys._getframe(2)
    path = os.path.realpath(frame.f_code.co_filename)
    return (os.path.relpath(path, folder), frame.f_lineno) if path.startswith(folder) else None

def noted(self, name, original=tree.OldModule.__getattribute__):
    if not name.startswith("_"):
        where = place()
        if where:
            look_up.add(where + (original(self, "__dict__")["_old_name"] + "." + name,))
    return original(self, name)

tree.OldModule.__getattribute__ = noted

import atexit
def write():
    from legacy_towers.run.check import status
    missing = [each for each in look_up if status.of_name(each[2]).is_removed]
    json.dump(missing, open(sys.argv_of_ours[2], "w"))
atexit.register(write)
sys.argv_of_ours = sys.argv[:3]
from legacy_towers.cli.main import main
words = ["run"] + sys.argv[3:]
sys.argv[1:] = words
code = main(words)
sys.exit(code)
"""


def looked_up(script, folder):
    """Returns the names that a script looked up and that TensorFlow lacks: {(path, line, name)}."""
    train, data = os.path.join(folder, "train"), os.path.join(folder, "data")
    for each in (train, data):
        os.makedirs(each)
    if script.data is not None:
        script.data(data)
    out = os.path.join(folder, "look_up.json")
    command = script.command(train, data)
    done = subprocess.run(
        [sys.executable, "-c", RUN, script_table.FOLDER, out, *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
    )
    if done.returncode:
        raise SystemExit("{} failed:\n{}".format(script.name, done.stderr[-3000:]))
    with open(out) as file:
        return _longest({tuple(each) for each in json.load(file)})


def _longest(names):
    """Returns look-ups without prefixes of others in the same line: tf.contrib of tf.contrib.slim."""
    return {one for one in names if not any(one[:2] == two[:2] and two[2].startswith(one[2] + ".") for two in names)}


def found(script):
    """Returns the findings of --check: {(path, line, name)}."""
    from legacy_towers.run.check import project

    checked = project.check(os.path.join(script_table.FOLDER, script.path))
    return {
        (os.path.relpath(each.path, script_table.FOLDER), each.line, each.status.name) for each in checked.findings
    }


def matches(look_up, finding):
    """Returns whether a look-up and a finding are of one name in one line: imports are looked up part by part."""
    return look_up[:2] == finding[:2] and (finding[2] + ".").startswith(look_up[2] + ".")


def main():
    # Without scripts that are started as modules: --check reads files.
    scripts = [each for each in script_table.SCRIPTS if each.path.endswith(".py")]
    chosen = [each for each in scripts if not sys.argv[1:] or each.name in sys.argv[1:]]
    totals = [0, 0, 0, 0]
    print("{:24} {:>8} {:>6} {:>10} {:>6}".format("script", "missing", "found", "findings", "right"))
    for script in chosen:
        with tempfile.TemporaryDirectory() as folder:
            missing = looked_up(script, folder)
        findings = found(script)
        hit = sum(any(matches(one, other) for other in findings) for one in missing)
        right = sum(any(matches(other, one) for other in missing) for one in findings)
        for index, number in enumerate((len(missing), hit, len(findings), right)):
            totals[index] += number
        print("{:24} {:8} {:6} {:10} {:6}".format(script.name, len(missing), hit, len(findings), right))
        for each in sorted(one for one in missing if not any(matches(one, other) for other in findings)):
            print("    not found: {}:{} {}".format(*each))
        for each in sorted(one for one in findings if not any(matches(other, one) for other in missing)):
            print("    not looked up: {}:{} {}".format(*each))
    print("recall {:.3f} ({} of {}), precision {:.3f} ({} of {}), {} scripts".format(
        totals[1] / max(1, totals[0]), totals[1], totals[0], totals[3] / max(1, totals[2]), totals[3], totals[2],
        len(chosen),
    ))


if __name__ == "__main__":
    main()
