"""How well `legacy-towers run --check` tells what a script asks for: against what it really asks for when it runs.

    python tests/benchmarks/check_against_runs.py [NAME ...]

Each script of tests/scripts is run by `legacy-towers run` in a process of its own in which every look-up of a name of
TensorFlow from the script's own lines is noted. Those that tensorflow.compat.v1 lacks would be AttributeErrors there.
They are compared, by file, line and name, with what --check finds without running anything.

    recall      of the names that were asked for and lacking, the share that --check found
    precision   of what --check found, the share that was asked for; what stands in code that never ran counts as wrong
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from oldtf import script_table  # noqa: E402

RUN = """
import json, os, sys
from legacy_towers.oldtf import tree
asked = set()
folder = os.path.realpath(sys.argv[1])

def place():
    frame = sys._getframe(2)
    path = os.path.realpath(frame.f_code.co_filename)
    return (os.path.relpath(path, folder), frame.f_lineno) if path.startswith(folder) else None

def noted(self, name, original=tree.OldModule.__getattribute__):
    if not name.startswith("_"):
        where = place()
        if where:
            asked.add(where + (original(self, "__dict__")["_old_name"] + "." + name,))
    return original(self, name)

tree.OldModule.__getattribute__ = noted

import atexit
def write():
    from legacy_towers.oldtf.check import status
    lacking = [each for each in asked if status.of_name(each[2]).gone]
    json.dump(lacking, open(sys.argv_of_ours[2], "w"))
atexit.register(write)
sys.argv_of_ours = sys.argv[:3]
from legacy_towers.cli.main import main
words = ["run"] + sys.argv[3:]
sys.argv[1:] = words
code = main(words)
sys.exit(code)
"""


def asked_for(script, folder):
    """Returns what the script asked for that TensorFlow lacks: {(path, line, name)}."""
    train, data = os.path.join(folder, "train"), os.path.join(folder, "data")
    for each in (train, data):
        os.makedirs(each)
    if script.data is not None:
        script.data(data)
    out = os.path.join(folder, "asked.json")
    command = script.command(train, data)
    done = subprocess.run(
        [sys.executable, "-c", RUN, script_table.FOLDER, out, *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
    )
    if done.returncode:
        raise SystemExit("{} failed:\n{}".format(script.name, done.stderr[-3000:]))
    with open(out) as file:
        return _longest({tuple(each) for each in json.load(file)})


def _longest(asked):
    """Leaves out look-ups that are the way to another one in the same line: tf.contrib before tf.contrib.slim."""
    return {one for one in asked if not any(one[:2] == two[:2] and two[2].startswith(one[2] + ".") for two in asked)}


def found(script):
    """Returns what --check finds: {(path, line, name)}."""
    from legacy_towers.oldtf.check import project

    checked = project.check(os.path.join(script_table.FOLDER, script.path))
    return {
        (os.path.relpath(each.path, script_table.FOLDER), each.line, each.status.name) for each in checked.findings
    }


def matches(asked, told):
    """Whether a look-up and a finding are of one name in one line: an import is looked up part by part."""
    return asked[:2] == told[:2] and (told[2] + ".").startswith(asked[2] + ".")


def main():
    # Not those that are started as modules: --check reads files.
    scripts = [each for each in script_table.SCRIPTS if each.path.endswith(".py")]
    chosen = [each for each in scripts if not sys.argv[1:] or each.name in sys.argv[1:]]
    totals = [0, 0, 0, 0]
    print("{:24} {:>8} {:>6} {:>10} {:>6}".format("script", "lacking", "found", "told", "right"))
    for script in chosen:
        with tempfile.TemporaryDirectory() as folder:
            lacking = asked_for(script, folder)
        told = found(script)
        hit = sum(any(matches(one, other) for other in told) for one in lacking)
        right = sum(any(matches(other, one) for other in lacking) for one in told)
        for index, number in enumerate((len(lacking), hit, len(told), right)):
            totals[index] += number
        print("{:24} {:8} {:6} {:10} {:6}".format(script.name, len(lacking), hit, len(told), right))
        for each in sorted(one for one in lacking if not any(matches(one, other) for other in told)):
            print("    not found: {}:{} {}".format(*each))
        for each in sorted(one for one in told if not any(matches(other, one) for other in lacking)):
            print("    not asked for: {}:{} {}".format(*each))
    print("recall {:.3f} ({} of {}), precision {:.3f} ({} of {}), {} scripts".format(
        totals[1] / max(1, totals[0]), totals[1], totals[0], totals[3] / max(1, totals[2]), totals[3], totals[2],
        len(chosen),
    ))


if __name__ == "__main__":
    main()
