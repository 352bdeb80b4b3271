"""Python scripts that a script starts run by `legacy-towers run`, too.

The tests use `xrange`, a name of Python 2, as a sign that a file is rewritten.
"""
import argparse
import os
import sys
import textwrap

import pytest
from run import here
from run.test_start import RUN, outcome, started

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run import children

OPTIONS = argparse.Namespace(
    py2=False, generate_data=True, soft=None, num_devices=2, intra_op_threads=0, memory_fraction=0.5, report="r.json"
)
RUN_WITH_OPTIONS = ["-m", "legacy_towers", "run", "--generate-data", "--num-devices=2", "--memory-fraction=0.5",
                    "--intra-op-threads=0"]
PYTHON = sys.executable


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests need no TensorFlow."""


REWRITTEN = {
    "a script": ([PYTHON, "worker.py", "-x"], [PYTHON] + RUN_WITH_OPTIONS + ["worker.py", "-x"]),
    "options of python": (
        [PYTHON, "-u", "-W", "ignore", "-Xdev", "lib/far.py"],
        [PYTHON, "-u", "-W", "ignore", "-Xdev"] + RUN_WITH_OPTIONS + ["lib/far.py"],
    ),
    "a bare program name": (["python3.2", "worker.py"], [PYTHON] + RUN_WITH_OPTIONS + ["worker.py"]),
    "a name of Python 2": (
        ["python2.7", "worker.py"], [PYTHON] + RUN_WITH_OPTIONS[:3] + ["--py2"] + RUN_WITH_OPTIONS[3:] + ["worker.py"],
    ),
    "a module": ([PYTHON, "-m", "lib.far", "a"], [PYTHON] + RUN_WITH_OPTIONS + ["-m", "lib.far", "a"]),
    "a module in one argument": ([PYTHON, "-mworker"], [PYTHON] + RUN_WITH_OPTIONS + ["-mworker"]),
    "a folder": ([PYTHON, "job"], [PYTHON] + RUN_WITH_OPTIONS + ["job"]),
    "bytes": ([os.fsencode(PYTHON), b"worker.py", b"x"], [PYTHON] + RUN_WITH_OPTIONS + [b"worker.py", b"x"]),
}
UNCHANGED = {
    "text": [PYTHON, "-c", "import worker"],
    "standard input": [PYTHON, "-", "worker.py"],
    "a module of Python": [PYTHON, "-m", "json.tool"],
    "an installed module": [PYTHON, "-m", "pytest"],
    "a missing file": [PYTHON, "gone.py"],
    "not a Python file": [PYTHON, "notes.txt"],
    "an installed script": [PYTHON, "site-packages/x.py"],
    "another program": ["echo", "worker.py"],
    "another python": [os.path.join("bin", "python"), "worker.py"],
    "python alone": [PYTHON],
    "an empty command": [],
    "an argument of another type": [PYTHON, 3],
}


@pytest.fixture
def folder(tmp_path):
    """Returns the folder of a running script with several files."""
    files = "worker.py lib/far.py lib/__init__.py job/__main__.py notes.txt site-packages/x.py bin/python".split()
    here.write(tmp_path, dict.fromkeys(files, ""))
    user_script.begin(user_script.ScriptRun("script.py", str(tmp_path), OPTIONS))
    yield tmp_path
    user_script.end()


@pytest.mark.parametrize("command, expected", list(REWRITTEN.values()), ids=list(REWRITTEN))
def test_commands_that_start_scripts_are_rewritten(folder, command, expected):
    assert children.rewritten_command(command, cwd=str(folder)) == expected
    assert children.rewritten_command(tuple(command), cwd=folder) == expected


@pytest.mark.parametrize("command", list(UNCHANGED.values()), ids=list(UNCHANGED))
def test_other_commands_are_unchanged(folder, command):
    assert children.rewritten_command(command, cwd=str(folder)) is command


def test_commands_are_unchanged_if_no_script_runs(tmp_path):
    here.write(tmp_path, {"worker.py": ""})
    command = [PYTHON, "worker.py"]
    assert children.rewritten_command(command, cwd=str(tmp_path)) is command


@pytest.mark.parametrize("text, expected", [
    ("CUDA_VISIBLE_DEVICES=0 python -u worker.py --x &",
     "python -u worker.py: interpreted as plain python, since a shell starts it; "
     "for TensorFlow 1.x write legacy-towers run worker.py\n"),
    (b"cd job; python3 lib/far.py", "python3 lib/far.py: interpreted as"),
    ("echo worker.py; python -c 'x.py'", ""),
    (["python worker.py"], ""),
])
def test_scripts_that_a_shell_starts_are_reported(folder, capsys, text, expected):
    children.report_shell_command(text)
    printed = capsys.readouterr().err
    assert expected in printed and bool(expected) == bool(printed)


@pytest.mark.parametrize("python, expected", [
    (PYTHON, "python worker.py: interpreted as legacy-towers run worker.py\n"),
    ("python3", "python worker.py: interpreted as legacy-towers run worker.py\n"),
    ("python2", "python2 worker.py: interpreted as legacy-towers run --py2 worker.py, by Python {}.{}\n"),
    ("python3.2", "python3.2 worker.py: interpreted as legacy-towers run worker.py, by Python {}.{}\n"),
])
def test_a_rewritten_command_is_reported_once(folder, capsys, python, expected):
    code = compile("for _ in range(2): rewritten([python, 'worker.py'], cwd=folder)", "script.py", "exec")
    user_script.running().add_file("script.py")
    exec(code, {"rewritten": children.rewritten_command, "python": python, "folder": str(folder)})
    assert capsys.readouterr().err == "legacy-towers: script.py:1: " + expected.format(*sys.version_info)


SHOWS_COMMANDS = """
import subprocess, sys
from subprocess import PIPE, Popen

command = ["python2.7", "worker.py", "exit"]
process = Popen(command)
process.wait()
print(process.args is command, subprocess.Popen(args=tuple(command)).args == tuple(command))
print(subprocess.run(command).args is command, subprocess.run(args=command).args is command)
for check in subprocess.check_call, subprocess.check_output:
    try:
        check(command)
    except subprocess.CalledProcessError as error:
        print(error.cmd is command, error)
try:
    subprocess.call([sys.executable, "worker.py", "sleep"], timeout=0.01)
except subprocess.TimeoutExpired as error:
    print(error.cmd)
for wrong in ({}, {"args": None}):
    try:
        subprocess.Popen(**wrong)
    except TypeError as error:
        print(error)
"""


SLEEPER = """
import sys, time
time.sleep(60 if sys.argv[1] == "sleep" else 0)
sys.exit(7 / 2)
"""


def test_results_and_errors_have_the_command_of_the_script(tmp_path):
    here.write(tmp_path, {"script.py": SHOWS_COMMANDS, "worker.py": SLEEPER})
    plain = outcome(started(tmp_path, ["-c", SHOWS_COMMANDS.replace("python2.7", sys.executable)]))[1]
    code, out, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert code == 0, err
    lines = out.splitlines()
    assert lines[:4] == ["True True", "True True"] + [
        "True Command '['python2.7', 'worker.py', 'exit']' returned non-zero exit status 3."] * 2
    assert lines[4] == str([sys.executable, "worker.py", "sleep"]) and lines[5:] == plain.splitlines()[5:]
    assert err.count("python2.7 worker.py: interpreted as legacy-towers run --py2 worker.py, by Python") == 4


LAUNCHER = """
import os
import subprocess
import sys
from subprocess import PIPE, Popen, check_output

command = [sys.executable, "worker.py"]
with Popen(command + ["1"], stdout=PIPE) as process:
    outputs = [process.communicate()[0]]
outputs.append(check_output(["python", "../job/worker.py", "2"], cwd="../lib"))
outputs.append(subprocess.check_output(args=tuple(command) + ("3",), env=dict(os.environ, NAME="x")))
outputs.append(subprocess.run(command + ["4"], stdout=PIPE, check=True).stdout)
outputs.append(subprocess.check_output("echo worker.py", shell=True))
outputs.append(subprocess.check_output(["echo"] + command[1:]))
for output in outputs:
    print((output if isinstance(output, str) else output.decode()).strip())
print("%s %s" % (isinstance(process, subprocess.Popen), subprocess.TimeoutExpired.__name__))
print(subprocess.call(command + ["exit"]))
"""
WORKER = """
import os, sys
if sys.argv[1] == "exit":
    sys.exit(7)
print("%s %s %s %s %s" % (__name__, sys.argv, list(xrange(2)), os.environ.get("NAME"), 7 / 2))
"""


def test_scripts_that_a_script_starts_are_rewritten(tmp_path):
    here.write(tmp_path, {"job/launcher.py": LAUNCHER, "job/worker.py": WORKER, "lib/notes.txt": ""})
    code, out, err = outcome(started(tmp_path / "job", RUN + ["--py2", "--report", "report.txt", "launcher.py"]))
    assert code == 0, err
    assert out.splitlines() == [
        "__main__ ['worker.py', '1'] [0, 1] None 3",
        "__main__ ['../job/worker.py', '2'] [0, 1] None 3",
        "__main__ ['worker.py', '3'] [0, 1] x 3",
        "__main__ ['worker.py', '4'] [0, 1] None 3",
        "worker.py",
        "worker.py",
        "True TimeoutExpired",
        "7",
    ]
    notices = [line for line in err.splitlines() if "interpreted as" in line]
    assert notices[0] == "legacy-towers: launcher.py:8: python worker.py: interpreted as legacy-towers run worker.py"
    assert notices[1].endswith(":10: python ../job/worker.py: interpreted as legacy-towers run ../job/worker.py")
    # There is one report, of the script itself.
    assert "launcher.py:8" in (tmp_path / "job" / "report.txt").read_text()


SPAWNING = """
import multiprocessing, os, sys
import helpers

RANGE = list(xrange(3))


def work(number):
    return number, RANGE, helpers.NAME, __name__, os.path.basename(sys.path[0]), sys.argv[1:], 7 / 2


def spawn_again(queue):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        queue.put(pool.map(work, [3]))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    for method in ("spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(pool.map(work, [1]))
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=spawn_again, args=(queue,))
    process.start()
    print(queue.get())
    process.join()
"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [["script.py"], ["-m", "script"]], ids=["script", "module"])
def test_spawned_processes_load_rewritten_modules(tmp_path, program):
    here.write(tmp_path / "job", {"script.py": SPAWNING, "helpers.py": "NAME = str(xrange(1))\n"})
    code, out, err = outcome(started(tmp_path / "job", RUN + ["--py2"] + program + ["a"]))
    assert code == 0, err
    expected = "[({}, [0, 1, 2], 'range(0, 1)', '__mp_main__', 'job', ['a'], 3)]"
    assert out.splitlines() == [expected.format(number) for number in (1, 1, 3)]


def test_the_first_entry_of_sys_path_is_pickled_as_a_string(tmp_path):
    source = """
        import copy, json, pickle, sys
        folder = sys.path[0]
        print(folder, repr(folder), json.dumps(folder), type(pickle.loads(pickle.dumps(folder))).__name__)
        print(type(copy.deepcopy(sys.path)[0]).__name__)
    """
    here.write(tmp_path, {"script.py": textwrap.dedent(source)})
    code, out, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert code == 0, err
    path = str(tmp_path.resolve())
    assert out == "{0} '{0}' \"{0}\" str\nstr\n".format(path)


ON_GPUS = """
import multiprocessing
import tensorflow as tf


def on_gpus(number):
    with tf.device("/gpu:%d" % number):
        value = tf.constant(number) + 1
    with tf.Session() as session:
        return value.device, session.run(value), session._config.intra_op_parallelism_threads


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(on_gpus, [1]))
"""


@pytest.mark.slow
def test_spawned_processes_have_the_devices_and_options_of_the_script(tmp_path):
    here.write(tmp_path, {"script.py": ON_GPUS})
    code, out, err = outcome(started(tmp_path, RUN + ["--intra-op-threads", "2", "script.py"], CUDA_VISIBLE_DEVICES=""))
    kind = "GPU" if sys.version_info >= (3, 8) else "CPU"  # scripts are rewritten from Python 3.8 on
    assert (code, out) == (0, "[('/device:{}:1', 2, 2)]\n".format(kind)), err
    assert err.count("/gpu:1 is the logical CPU device /cpu:1") == 1
