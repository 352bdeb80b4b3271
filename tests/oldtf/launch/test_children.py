"""Processes that a script starts see what the script sees. `xrange` stands for it: plain Python 3 has none."""
import argparse
import os
import sys
import textwrap

import pytest
from oldtf.launch import here
from oldtf.launch.test_start import RUN, outcome, started

from legacy_towers.oldtf import current
from legacy_towers.oldtf.launch import children

OPTIONS = argparse.Namespace(
    py2=False, generate_data=True, soft=None, num_devices=2, intra_op_threads=0, memory_fraction=0.5, report="r.json"
)
WORDS = ["-m", "legacy_towers", "run", "--generate-data", "--num-devices=2", "--memory-fraction=0.5",
         "--intra-op-threads=0"]
PYTHON = sys.executable


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


SERVED = {
    "a script": ([PYTHON, "worker.py", "-x"], [PYTHON] + WORDS + ["worker.py", "-x"]),
    "with options of python": (
        [PYTHON, "-u", "-W", "ignore", "-Xdev", "lib/far.py"],
        [PYTHON, "-u", "-W", "ignore", "-Xdev"] + WORDS + ["lib/far.py"],
    ),
    "by a bare name": (["python3.2", "worker.py"], [PYTHON] + WORDS + ["worker.py"]),
    "by the name of Python 2": (
        ["python2.7", "worker.py"], [PYTHON] + WORDS[:3] + ["--py2"] + WORDS[3:] + ["worker.py"],
    ),
    "a module": ([PYTHON, "-m", "lib.far", "a"], [PYTHON] + WORDS + ["-m", "lib.far", "a"]),
    "a module, in one word": ([PYTHON, "-mworker"], [PYTHON] + WORDS + ["-mworker"]),
    "a folder": ([PYTHON, "job"], [PYTHON] + WORDS + ["job"]),
    "bytes": ([os.fsencode(PYTHON), b"worker.py", b"x"], [PYTHON] + WORDS + [b"worker.py", b"x"]),
}
PLAIN = {
    "text": [PYTHON, "-c", "import worker"],
    "standard input": [PYTHON, "-", "worker.py"],
    "a module of Python's": [PYTHON, "-m", "json.tool"],
    "a module that is installed": [PYTHON, "-m", "pytest"],
    "no file": [PYTHON, "gone.py"],
    "no Python file": [PYTHON, "notes.txt"],
    "an installed script": [PYTHON, "site-packages/x.py"],
    "another program": ["echo", "worker.py"],
    "another python": [os.path.join("bin", "python"), "worker.py"],
    "nothing but python": [PYTHON],
    "nothing": [],
    "no words": [PYTHON, 3],
}


@pytest.fixture
def begun(tmp_path):
    files = "worker.py lib/far.py lib/__init__.py job/__main__.py notes.txt site-packages/x.py bin/python".split()
    here.write(tmp_path, dict.fromkeys(files, ""))
    current.begin(current.ScriptRun("script.py", str(tmp_path), OPTIONS))
    yield tmp_path
    current.end()


@pytest.mark.parametrize("words, started_instead", list(SERVED.values()), ids=list(SERVED))
def test_what_is_served(begun, words, started_instead):
    assert children.instead_of(words, cwd=str(begun)) == started_instead
    assert children.instead_of(tuple(words), cwd=begun) == started_instead


@pytest.mark.parametrize("words", list(PLAIN.values()), ids=list(PLAIN))
def test_what_stays(begun, words):
    assert children.instead_of(words, cwd=str(begun)) is words


def test_nothing_is_exchanged_where_no_script_runs(tmp_path):
    here.write(tmp_path, {"worker.py": ""})
    words = [PYTHON, "worker.py"]
    assert children.instead_of(words, cwd=str(tmp_path)) is words


@pytest.mark.parametrize("text, said", [
    ("CUDA_VISIBLE_DEVICES=0 python -u worker.py --x &", "python -u worker.py: taken for plain python, which a shell "
     "starts: legacy-towers run worker.py would see"),
    (b"cd job; python3 lib/far.py", "python3 lib/far.py: taken for"),
    ("echo worker.py; python -c 'x.py'", ""),
    (["python worker.py"], ""),
])
def test_what_a_shell_starts_is_told(begun, capsys, text, said):
    children.say_of_shell(text)
    told = capsys.readouterr().err
    assert said in told and bool(said) == bool(told)


@pytest.mark.parametrize("python, said", [
    (PYTHON, "python worker.py: taken for legacy-towers run worker.py\n"),
    ("python3", "python worker.py: taken for legacy-towers run worker.py\n"),
    ("python2", "python2 worker.py: taken for legacy-towers run --py2 worker.py, by Python {}.{}\n"),
    ("python3.2", "python3.2 worker.py: taken for legacy-towers run worker.py, by Python {}.{}\n"),
])
def test_what_a_python_was_taken_for_is_said_once(begun, capsys, python, said):
    code = compile("for _ in range(2): instead_of([python, 'worker.py'], cwd=folder)", "script.py", "exec")
    current.running().add_file("script.py")
    exec(code, {"instead_of": children.instead_of, "python": python, "folder": str(begun)})
    assert capsys.readouterr().err == "legacy-towers: script.py:1: " + said.format(*sys.version_info)


AS_GIVEN = """
import subprocess, sys
from subprocess import PIPE, Popen

words = ["python2.7", "worker.py", "exit"]
process = Popen(words)
process.wait()
print(process.args is words, subprocess.Popen(args=tuple(words)).args == tuple(words))
print(subprocess.run(words).args is words, subprocess.run(args=words).args is words)
for check in subprocess.check_call, subprocess.check_output:
    try:
        check(words)
    except subprocess.CalledProcessError as error:
        print(error.cmd is words, error)
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


def test_what_was_started_is_what_the_script_gave(tmp_path):
    here.write(tmp_path, {"script.py": AS_GIVEN, "worker.py": SLEEPER})
    plain = outcome(started(tmp_path, ["-c", AS_GIVEN.replace("python2.7", sys.executable)]))[1]
    code, out, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert code == 0, err
    lines = out.splitlines()
    assert lines[:4] == ["True True", "True True"] + [
        "True Command '['python2.7', 'worker.py', 'exit']' returned non-zero exit status 3."] * 2
    assert lines[4] == str([sys.executable, "worker.py", "sleep"]) and lines[5:] == plain.splitlines()[5:]
    assert err.count("python2.7 worker.py: taken for legacy-towers run --py2 worker.py, by Python") == 4


LAUNCHER = """
import os
import subprocess
import sys
from subprocess import PIPE, Popen, check_output

words = [sys.executable, "worker.py"]
with Popen(words + ["1"], stdout=PIPE) as process:
    outputs = [process.communicate()[0]]
outputs.append(check_output(["python", "../job/worker.py", "2"], cwd="../lib"))
outputs.append(subprocess.check_output(args=tuple(words) + ("3",), env=dict(os.environ, NAME="x")))
outputs.append(subprocess.run(words + ["4"], stdout=PIPE, check=True).stdout)
outputs.append(subprocess.check_output("echo worker.py", shell=True))
outputs.append(subprocess.check_output(["echo"] + words[1:]))
for output in outputs:
    print((output if isinstance(output, str) else output.decode()).strip())
print("%s %s" % (isinstance(process, subprocess.Popen), subprocess.TimeoutExpired.__name__))
print(subprocess.call(words + ["exit"]))
"""
WORKER = """
import os, sys
if sys.argv[1] == "exit":
    sys.exit(7)
print("%s %s %s %s %s" % (__name__, sys.argv, list(xrange(2)), os.environ.get("NAME"), 7 / 2))
"""


def test_a_script_starts_scripts(tmp_path):
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
    said = [line for line in err.splitlines() if "taken for" in line]
    assert said[0] == "legacy-towers: launcher.py:8: python worker.py: taken for legacy-towers run worker.py"
    assert said[1].endswith(":10: python ../job/worker.py: taken for legacy-towers run ../job/worker.py")
    # One report, of the script itself.
    assert "launcher.py:8" in (tmp_path / "job" / "report.txt").read_text()


SPAWNING = """
import multiprocessing, os, sys
import beside

RANGE = list(xrange(3))


def work(number):
    return number, RANGE, beside.NAME, __name__, os.path.basename(sys.path[0]), sys.argv[1:], 7 / 2


def further(queue):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        queue.put(pool.map(work, [3]))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    for method in ("spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(pool.map(work, [1]))
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=further, args=(queue,))
    process.start()
    print(queue.get())
    process.join()
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [["script.py"], ["-m", "script"]], ids=["script", "module"])
def test_processes_are_spawned(tmp_path, how):
    here.write(tmp_path / "job", {"script.py": SPAWNING, "beside.py": "NAME = str(xrange(1))\n"})
    code, out, err = outcome(started(tmp_path / "job", RUN + ["--py2"] + how + ["a"]))
    assert code == 0, err
    expected = "[({}, [0, 1, 2], 'range(0, 1)', '__mp_main__', 'job', ['a'], 3)]"
    assert out.splitlines() == [expected.format(number) for number in (1, 1, 3)]


def test_the_folder_on_the_path_is_text_for_anything_else(tmp_path):
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
def test_a_spawned_process_has_the_devices_and_options_of_the_script(tmp_path):
    here.write(tmp_path, {"script.py": ON_GPUS})
    code, out, err = outcome(started(tmp_path, RUN + ["--intra-op-threads", "2", "script.py"], CUDA_VISIBLE_DEVICES=""))
    kind = "GPU" if sys.version_info >= (3, 8) else "CPU"  # as the script asked for, where it is rewritten
    assert (code, out) == (0, "[('/device:{}:1', 2, 2)]\n".format(kind)), err
    assert err.count("/gpu:1 is the logical CPU device /cpu:1") == 1
