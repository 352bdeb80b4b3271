"""`legacy-towers run SCRIPT` has the output, errors and exit code of `python SCRIPT`.

None of these scripts imports TensorFlow, so that a process takes about 0.2 s. They use `xrange`, a name of Python 2, as
a sign that a file is rewritten.
"""
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from run import here

RUN = ["-m", "legacy_towers", "run"]


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests need no TensorFlow."""


def started(folder, arguments, **environment):
    variables = dict(os.environ, **environment)
    return subprocess.Popen(
        [sys.executable] + arguments,
        cwd=str(folder),
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )


def outcome(process):
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def both(folder, arguments, **environment):
    """Returns the outcomes of `python` and `run`, which run in parallel."""
    processes = [started(folder, prefix + arguments, **environment) for prefix in ([], RUN)]
    return [outcome(process) for process in processes]


def assert_same_outcome(folder, arguments, **environment):
    plain, ours = both(folder, arguments, **environment)
    assert ours == plain
    return ours


FACTS = '''
"""A docstring."""
import atexit, collections, inspect, multiprocessing, os, pickle, sys, threading, traceback
import helpers, difflib, package.inner
from package import sibling

Point = collections.namedtuple("Point", "x y")


class Kept(object):
    def __init__(self, value):
        self.value = value


def square(x):
    return Kept(x * x)


def show(name, value):
    print(name, value)


if __name__ == "__main__":
    main = sys.modules["__main__"]
    show("argv", sys.argv)
    show("path", sys.path[0])
    show("main", (main.__name__, main.__file__, main.__doc__, main.__package__, main.__spec__, main.Kept is Kept))
    show("builtins", __builtins__.__name__)
    show("loader", main.__loader__.get_filename("__main__"))
    show("cwd", os.getcwd())
    show("modules", (helpers.NAME, helpers.__file__, package.inner.NAME, sibling.NAME, difflib.NAME))
    show("source", inspect.getsource(square))
    show("file", inspect.getsourcefile(Kept))
    show("pickle", pickle.loads(pickle.dumps(Kept(3))).value)
    show("module of a class", Kept.__module__)
    show("code", square.__code__.co_filename)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        show("pool", pool.map(square, [2, 3])[1].value)
    thread = threading.Thread(target=lambda: show("thread", threading.current_thread() is threading.main_thread()))
    thread.start()
    thread.join()
    show("stack", [frame.name for frame in traceback.extract_stack() if frame.filename == __file__])
    show("frames", inspect.stack()[0].function)
    atexit.register(show, "atexit", main.__name__)
    threading.Timer(0.05, show, ("late", threading.main_thread().is_alive())).start()
    sys.stderr.write("to stderr\\n")
    sys.exit(int(sys.argv[1]))
'''
MODULES = {
    "helpers.py": "NAME = __name__\n",
    "difflib.py": "NAME = 'mine, not that of Python'\n",
    "package/__init__.py": "from . import sibling\n",
    "package/inner.py": "from .sibling import NAME\nfrom . import sibling as _\n",
    "package/sibling.py": "NAME = __name__\n",
    "package/__main__.py": "import sys\nfrom . import sibling\n"
    "print(__name__, __package__, __spec__.name, sys.argv, sys.path[0], sibling.NAME, __file__)\n",
}


def test_the_script_runs_as_main_with_its_own_arguments(tmp_path):
    here.write(tmp_path / "job", dict(MODULES, **{"facts.py": FACTS}))
    # Arguments after the script are its own, also those that are options of run.
    code, out, err = assert_same_outcome(
        tmp_path, ["job/facts.py", "3", "--help", "--", "--py2", "-m", "x", ""], PYTHONDONTWRITEBYTECODE="1"
    )
    assert code == 3 and err == "to stderr\n"
    assert "argv ['job/facts.py', '3', '--help', '--', '--py2', '-m', 'x', '']" in out
    assert "'mine, not that of Python'" in out and out.endswith("late True\natexit __main__\n")


def test_no_slow_modules_are_imported_before_the_script(tmp_path):
    """As in the empty script of tests/benchmarks/script_start.py: each of these takes 2 to 50 ms."""
    slow = ["difflib", "email", "importlib.metadata", "json", "numpy", "shutil", "tempfile", "tensorflow"]
    slow += ["legacy_towers." + name for name in ("cli.log_file", "run.python2.certain", "run.python2.rewrite")]
    # TensorFlow 1.15 needs the symbols, and Python 3.7 imports traceback itself.
    slow += ["legacy_towers.compat.tf1.registry", "traceback"] if sys.version_info >= (3, 8) else []
    here.write(tmp_path, {"script.py": "import sys\nprint(sorted(set({!r}) & set(sys.modules)))".format(slow)})
    assert outcome(started(tmp_path, RUN + ["script.py"]))[:2] == (0, "[]\n")


def test_no_bytecode_is_written(tmp_path):
    here.write(tmp_path, dict(MODULES, **{"facts.py": FACTS}))
    assert outcome(started(tmp_path, RUN + ["facts.py", "0"]))[0] == 0
    assert not [folder for folder, _, _ in os.walk(str(tmp_path)) if folder.endswith("__pycache__")]


@pytest.mark.parametrize("name", ["package.inner", "package", "helpers", "package.missing", "missing"])
def test_a_module_runs_as_with_python(tmp_path, name):
    here.write(tmp_path, MODULES)
    plain, ours = both(tmp_path, ["-m", name, "--steps", "3"], PYTHONDONTWRITEBYTECODE="1")
    if "missing" in name:
        assert plain[0] == 1 and ours[0] == 2
        assert ours[2].startswith("legacy-towers: error: there is no module {!r} in ".format(name))
    else:
        assert ours == plain


def test_the_files_of_an_installed_package_that_is_run_are_rewritten(tmp_path):
    here.write(tmp_path, {"site-packages/package/__init__.py": "", "site-packages/package/a.py": "print(xrange(2))\n"})
    here.write(tmp_path, {"site-packages/package/b/__main__.py": "print(xrange(3))\nimport package.a\n"})
    here.write(tmp_path, {"site-packages/package/b/__init__.py": "", "site-packages/other.py": "xrange(2)\n"})
    here.write(tmp_path, {"script.py": "import other\n"})
    path = str(tmp_path / "site-packages")
    code, out, _ = outcome(started(tmp_path, RUN + ["-m", "package.b"], PYTHONPATH=path))
    assert (code, out) == (0, "range(0, 3)\nrange(0, 2)\n")
    code, _, err = outcome(started(tmp_path, RUN + ["script.py"], PYTHONPATH=path))
    assert code == 1 and "NameError: name 'xrange' is not defined" in err


def test_tests_that_pytest_runs_are_rewritten(tmp_path):
    test = "def test_range():\n    assert list(xrange(2)) == [0, 1]\n"
    here.write(tmp_path, {"test_x.py": test, "conftest.py": "xrange(2)\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["-m", "pytest", "-q", "-p", "no:cacheprovider"]))
    assert code == 0 and "1 passed" in out, out + err
    assert err.splitlines()[0] == (
        "legacy-towers: -m pytest runs as -m pytest --assert=plain, so that tests import TensorFlow 1.x"
    )


@pytest.mark.parametrize("arguments", ["cProfile -o found", "profile -o found", "trace --listfuncs"])
def test_scripts_that_python_profilers_run_are_rewritten(tmp_path, arguments):
    source = "import sys, helpers\nprint(__name__, sys.argv, 7 / 2)\n"
    here.write(tmp_path, {"script.py": source, "helpers.py": "xrange(2)\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["--py2", "-m"] + arguments.split() + ["script.py", "-x"]))
    assert code == 0 and out.splitlines()[0] == "('__main__', ['script.py', '-x'], 3)", out + err


def test_with_py2_all_files_are_python_2(tmp_path):
    here.write(tmp_path, {"script.py": "import helpers\nprint(7 / 2)\n", "helpers.py": "print(9 / 2)\n"})
    assert outcome(started(tmp_path, RUN + ["--py2", "script.py", "--py2"])) == (0, "4\n3\n", "")


def test_two_dashes_end_the_options_of_run(tmp_path):
    here.write(tmp_path, {"script.py": "import sys\nprint(sys.argv, 7 / 2)\n", "-odd.py": "print(3)\n"})
    process = started(tmp_path, RUN + ["--py2", "--", "script.py", "--", "--py2"])
    assert outcome(process) == (0, "(['script.py', '--', '--py2'], 3)\n", "")
    assert outcome(started(tmp_path, RUN + ["--", "-odd.py"])) == (0, "3\n", "")


def test_a_python_2_script_imports_its_own_modules_that_shadow_pythons(tmp_path):
    # fissix, which is imported while the script is loaded, needs Python's modules.
    names = "difflib random logging tempfile pickle tokenize shutil".split()
    here.write(tmp_path, {name + ".py": "MINE = 'my {}'\n".format(name) for name in names})
    source = "import {0}\nprint [each.MINE for each in ({0})]\nimport late\n".format(", ".join(names))
    here.write(tmp_path, {"script.py": source, "late.py": "import random, pickle\nprint random.MINE, pickle.MINE\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert (code, out) == (0, "{}\nmy random my pickle\n".format(["my " + name for name in names])), err


def test_an_error_of_python_2_code_suggests_py2(tmp_path):
    here.write(tmp_path, {"script.py": "def first(x):\n    return x[0]\nprint(first({'a': 1}.keys()))\n"})
    code, _, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert code == 1 and err.splitlines()[-2:] == [
        "TypeError: 'dict_keys' object is not subscriptable",
        "legacy-towers: if the script was written for Python 2, try --py2",
    ]
    assert outcome(started(tmp_path, RUN + ["--py2", "script.py"])) == (0, "a\n", "")


def test_an_argument_of_an_older_version_has_a_sentence(tmp_path):
    here.write(tmp_path, {"script.py": "def hook():\n    pass\nhook(steps_per_run=2)\n"})
    code, _, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert code == 1 and err.splitlines()[-1].startswith(
        "legacy-towers: the argument steps_per_run of tf.train.CheckpointSaverHook was part of TensorFlow 1.8, and is"
    )


def test_modules_are_found_on_pythonpath_and_in_parent_folders(tmp_path):
    here.write(tmp_path, {"lib/far.py": "NAME = 'far'\n", "upper.py": "NAME = 'upper'\n"})
    here.write(tmp_path, {"job/train.py": "import sys\nsys.path.append('..')\nimport far, upper\nprint(far, upper)\n"})
    assert_same_outcome(tmp_path / "job", ["train.py"], PYTHONPATH=str(tmp_path / "lib"), PYTHONDONTWRITEBYTECODE="1")


def test_the_working_directory_on_pythonpath_stays_on_the_path(tmp_path):
    here.write(tmp_path, {"package/__init__.py": "", "package/net.py": "NAME = 'net'\n"})
    here.write(tmp_path, {"job/train.py": "import sys, package.net\nprint(sys.path[:2], package.net.NAME)\n"})
    code, out, _ = assert_same_outcome(tmp_path, ["job/train.py"], PYTHONPATH=".", PYTHONDONTWRITEBYTECODE="1")
    assert code == 0 and out.endswith("net\n")


def test_links_to_scripts_and_folders_with_a_main_are_run(tmp_path):
    here.write(tmp_path, {"job/__main__.py": "import sys, helpers\nprint(sys.argv, sys.path[0], __file__)\n"})
    here.write(tmp_path, {"job/helpers.py": "", "job/script.py": "import sys, helpers\nprint(sys.path[0])\n"})
    os.symlink(str(tmp_path / "job" / "script.py"), str(tmp_path / "link.py"))
    code, out, _ = assert_same_outcome(tmp_path, ["link.py"], PYTHONDONTWRITEBYTECODE="1")
    assert code == 0 and out == str((tmp_path / "job").resolve()) + "\n"
    code, out, err = outcome(started(tmp_path, RUN + ["job", "a"]))
    assert code == 0 and out.startswith("['job', 'a'] {} ".format(tmp_path / "job")), err


ENDINGS = {
    "message": "import sys; sys.exit('a message')",
    "none": "raise SystemExit",
    "error": """
        import helper
        def f():
            raise ValueError("first")
        try:
            f()
        except ValueError:
            helper.fail()
    """,
    "missing module": "import helper\nimport no_such_module",
    "missing by name": "import importlib\nimportlib.import_module('no_such_module')",
    "syntax": "x = (1,\n",
    "syntax of a module": "import broken",
    "own hook": "import sys\nsys.excepthook = lambda *error: print('hook', error[0].__name__)\n1 / 0",
    "assertion with a cause": """
        try:
            {}["a"]
        except KeyError as error:
            raise RuntimeError("second") from error
    """,
    "in a thread": """
        import threading
        import helper
        thread = threading.Thread(target=helper.fail)
        thread.start()
        thread.join()
    """,
    "warning": "import warnings\nwarnings.warn('a warning')\nwarnings.warn('old', DeprecationWarning)",
    "interrupt": "import os, signal, atexit\natexit.register(print, 'exit')\nos.kill(os.getpid(), signal.SIGINT)",
}
HELPERS = {"helper.py": "def fail():\n    return 1 / 0\n", "broken.py": "def f(:\n    pass\n"}


@pytest.mark.parametrize("source", list(ENDINGS.values()), ids=list(ENDINGS))
def test_errors_and_exit_codes_are_those_of_python(tmp_path, source):
    here.write(tmp_path, dict(HELPERS, **{"script.py": textwrap.dedent(source)}))
    plain, ours = both(tmp_path, ["script.py"], PYTHONDONTWRITEBYTECODE="1")
    if source is ENDINGS["syntax"]:  # Python 3.7 shows another line if it reads the file itself
        plain, ours = ((each[0], each[2].splitlines()[-1]) for each in (plain, ours))
    assert ours == plain


def test_a_signal_ends_the_script(tmp_path):
    here.write(tmp_path, {"script.py": "import time\nprint('ready', flush=True)\ntime.sleep(60)\n"})
    process = started(tmp_path, RUN + ["script.py"])
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert outcome(process)[0] == -signal.SIGTERM


def test_a_script_imports_its_own_folder_tensorflow(tmp_path):
    here.write(tmp_path, {"tensorflow/__init__.py": "MINE = 3\n"})
    here.write(tmp_path, {"script.py": "import tensorflow\nprint(tensorflow.MINE)\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert (code, out) == (0, "3\n")
    assert err == "legacy-towers: the script imports its own folder {} as tensorflow\n".format(
        tmp_path / "tensorflow"
    )


def test_a_forked_process_writes_no_report(tmp_path):
    source = """
        import os, sys
        child = os.fork()
        if child == 0:
            sys.exit(3)
        print(os.waitpid(child, 0)[1] >> 8, flush=True)
        os._exit(0)
    """
    here.write(tmp_path, {"script.py": textwrap.dedent(source)})
    code, out, err = outcome(started(tmp_path, RUN + ["--report", "report.json", "script.py"]))
    # Python 3.12 and later warn of a fork if there are threads, such as the one that receives signals.
    assert (code, out) == (0, "3\n") and (not err or (sys.version_info >= (3, 12) and "os.fork()" in err))
    assert os.listdir(str(tmp_path)) == ["script.py"]


def test_a_report_that_can_not_be_written_is_an_error_message(tmp_path):
    here.write(tmp_path, {"script.py": "import os, sys\nos.rmdir('gone')\nsys.exit(4)\n"})
    os.mkdir(str(tmp_path / "gone"))
    code, out, err = outcome(started(tmp_path, RUN + ["--report", "gone/report.json", "script.py"]))
    assert (code, out) == (4, "") and len(err.splitlines()) == 1
    assert err.startswith("legacy-towers: error: the report can't be written to ")


@pytest.mark.parametrize("arguments", [
    ["run", "{}/script.py"], ["run", "-m", "json"], ["run", "--check", "{}/script.py"],
    ["bottleneck", "--json", "x", "{}/script.py"],
], ids=" ".join)
def test_a_removed_working_directory_is_an_error_message(tmp_path, arguments):
    here.write(tmp_path, {"script.py": ""})
    os.mkdir(str(tmp_path / "gone"))
    program = "import os, sys\nos.rmdir(os.getcwd())\nfrom legacy_towers.cli.main import main\nsys.exit(main())\n"
    arguments = [argument.format(tmp_path) for argument in arguments]
    code, out, err = outcome(started(tmp_path / "gone", ["-c", program] + arguments))
    message = "legacy-towers: error: the working directory does not exist any more: change to another one"
    assert (code, out) == (2, "") and err.splitlines()[-1] == message
    assert "Traceback" not in err


USAGE_ERRORS = {
    "no script": ([], "no script is given: pass SCRIPT"),
    "not there": (["gone.py"], "there is no script 'gone.py'"),
    "a folder": (["empty"], "the folder 'empty' has no __main__.py"),
    "nothing after --": (["--"], "no script is given: pass SCRIPT"),
    "standard input": (["-"], "a script on standard input has no folder"),
    "a notebook": (["notes.ipynb"], "'notes.ipynb' is a notebook: write its code to a file by `jupyter nbconvert"),
    "bytecode": (["script.pyc"], "'script.pyc' is compiled bytecode: name its .py file"),
    "a program": (["binary"], "'binary' is not a script: it has null bytes"),
    "an archive": (["job.zip"], "'job.zip' is an archive: unpack it"),
    "a check of standard input": (["--check", "-"], "--check can't find the modules of a script on standard input"),
    "a file as a module": (["-m", "script.py"], "did you mean the script, without -m?"),
    "no module": (["-m"], "-m needs the name of a module"),
    "check with an option of run": (["--check", "script.py", "--py2"], "--check runs nothing: remove --py2"),
    "check with 0": (["--check", "script.py", "--intra-op-threads", "0"], "remove --intra-op-threads"),
    "check of a script with arguments": (["--check", "script.py", "script.py"], "remove 'script.py'"),
    "check with an option of the script": (
        ["--check", "script.py", "--lr", "0.1"],
        "there is no option --lr; --check runs nothing: remove the script's options",
    ),
    "check of no module": (["--check", "-m"], "-m needs the name of a module"),
    "check of a module that is not there": (["--check", "-mgone"], "there is no module 'gone' in "),
    "check of a module with arguments": (["--check", "-m", "script", "x"], "remove 'x'"),
    "json without check": (["--json", "script.py"], "--json is an option of --check: pass --check PATH too"),
    "a relative module": (["-m", ".script"], "there is no module '.script'"),
    "an unknown option": (["--lr", "0.1", "script.py"], "no option --lr; the script's own options come after it"),
}


@pytest.mark.parametrize("arguments, message", list(USAGE_ERRORS.values()), ids=list(USAGE_ERRORS))
def test_usage_errors_are_one_line_with_exit_code_2(tmp_path, arguments, message):
    here.write(tmp_path, {"script.py": "", "empty/readme.txt": "", "notes.ipynb": "{}", "script.pyc": ""})
    here.write(tmp_path, {"binary": b"E\0", "job.zip": b"PK\3\4\0"})
    code, out, err = outcome(started(tmp_path, RUN + arguments))
    assert (code, out) == (2, "") and message in err and len(err.splitlines()) == 1
