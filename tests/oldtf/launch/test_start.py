"""`legacy-towers run SCRIPT` against `python SCRIPT`: output, errors, exit code and what the script sees of itself.

None of these scripts imports TensorFlow: a process takes a fifth of a second.
"""
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from oldtf.launch import here

RUN = ["-m", "legacy_towers", "run"]


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


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
    """Returns what came out of python and of run, which work at the same time."""
    processes = [started(folder, how + arguments, **environment) for how in ([], RUN)]
    return [outcome(process) for process in processes]


def assert_alike(folder, arguments, **environment):
    plain, ours = both(folder, arguments, **environment)
    assert ours == plain
    return ours


FACTS = '''
"""Its docstring."""
import atexit, collections, inspect, multiprocessing, os, pickle, sys, threading, traceback
import beside, difflib, package.inner
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
    show("modules", (beside.NAME, beside.__file__, package.inner.NAME, sibling.NAME, difflib.NAME))
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
    "beside.py": "NAME = __name__\n",
    "difflib.py": "NAME = 'mine, not that of Python'\n",
    "package/__init__.py": "from . import sibling\n",
    "package/inner.py": "from .sibling import NAME\nfrom . import sibling as _\n",
    "package/sibling.py": "NAME = __name__\n",
    "package/__main__.py": "import sys\nfrom . import sibling\n"
    "print(__name__, __package__, __spec__.name, sys.argv, sys.path[0], sibling.NAME, __file__)\n",
}


def test_a_script_sees_itself_as_with_python(tmp_path):
    here.write(tmp_path / "job", dict(MODULES, **{"facts.py": FACTS}))
    # Words that are options of ours, or that argparse would eat, are the script's.
    code, out, err = assert_alike(
        tmp_path, ["job/facts.py", "3", "--help", "--", "--py2", "-m", "x", ""], PYTHONDONTWRITEBYTECODE="1"
    )
    assert code == 3 and err == "to stderr\n"
    assert "argv ['job/facts.py', '3', '--help', '--', '--py2', '-m', 'x', '']" in out
    assert "'mine, not that of Python'" in out and out.endswith("late True\natexit __main__\n")


def test_nothing_is_written_beside_the_script(tmp_path):
    here.write(tmp_path, dict(MODULES, **{"facts.py": FACTS}))
    assert outcome(started(tmp_path, RUN + ["facts.py", "0"]))[0] == 0
    assert not [folder for folder, _, _ in os.walk(str(tmp_path)) if folder.endswith("__pycache__")]


@pytest.mark.parametrize("name", ["package.inner", "package", "beside", "package.missing", "missing"])
def test_a_module_runs_as_with_python(tmp_path, name):
    here.write(tmp_path, MODULES)
    plain, ours = both(tmp_path, ["-m", name, "--steps", "3"], PYTHONDONTWRITEBYTECODE="1")
    if "missing" in name:
        assert plain[0] == 1 and ours[0] == 2
        assert ours[2].startswith("legacy-towers: error: there is no module {!r} in ".format(name))
    else:
        assert ours == plain


def test_an_installed_package_that_is_run_is_the_users(tmp_path):
    # The words of Python 2 stand for all that its own files get.
    here.write(tmp_path, {"site-packages/package/__init__.py": "", "site-packages/package/a.py": "print(xrange(2))\n"})
    here.write(tmp_path, {"site-packages/package/b/__main__.py": "print(xrange(3))\nimport package.a\n"})
    here.write(tmp_path, {"site-packages/package/b/__init__.py": "", "site-packages/other.py": "xrange(2)\n"})
    here.write(tmp_path, {"script.py": "import other\n"})
    path = str(tmp_path / "site-packages")
    code, out, _ = outcome(started(tmp_path, RUN + ["-m", "package.b"], PYTHONPATH=path))
    assert (code, out) == (0, "range(0, 3)\nrange(0, 2)\n")
    code, _, err = outcome(started(tmp_path, RUN + ["script.py"], PYTHONPATH=path))
    assert code == 1 and "NameError: name 'xrange' is not defined" in err


def test_pytest_runs_tests_that_see_what_a_script_sees(tmp_path):
    # `xrange` stands for it: only files of the user that are loaded here have it.
    test = "def test_range():\n    assert list(xrange(2)) == [0, 1]\n"
    here.write(tmp_path, {"test_x.py": test, "conftest.py": "xrange(2)\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["-m", "pytest", "-q", "-p", "no:cacheprovider"]))
    assert code == 0 and "1 passed" in out, out + err
    assert err.splitlines()[0] == (
        "legacy-towers: -m pytest: taken for -m pytest --assert=plain, by which tests see TensorFlow 1.x"
    )


@pytest.mark.parametrize("words", ["cProfile -o found", "profile -o found", "trace --listfuncs"])
def test_profilers_of_python_run_scripts_as_run_does(tmp_path, words):
    source = "import sys, beside\nprint(__name__, sys.argv, 7 / 2)\n"
    here.write(tmp_path, {"script.py": source, "beside.py": "xrange(2)\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["--py2", "-m"] + words.split() + ["script.py", "-x"]))
    assert code == 0 and out.splitlines()[0] == "('__main__', ['script.py', '-x'], 3)", out + err


def test_all_is_taken_for_python_2_on_request(tmp_path):
    here.write(tmp_path, {"script.py": "import beside\nprint(7 / 2)\n", "beside.py": "print(9 / 2)\n"})
    assert outcome(started(tmp_path, RUN + ["--py2", "script.py", "--py2"])) == (0, "4\n3\n", "")


def test_two_dashes_end_our_options(tmp_path):
    here.write(tmp_path, {"script.py": "import sys\nprint(sys.argv, 7 / 2)\n", "-odd.py": "print(3)\n"})
    process = started(tmp_path, RUN + ["--py2", "--", "script.py", "--", "--py2"])
    assert outcome(process) == (0, "(['script.py', '--', '--py2'], 3)\n", "")
    assert outcome(started(tmp_path, RUN + ["--", "-odd.py"])) == (0, "3\n", "")


def test_a_script_of_python_2_has_its_own_modules_of_pythons_names(tmp_path):
    # The translation needs those of Python, and is imported late.
    names = "difflib random logging tempfile pickle tokenize shutil".split()
    here.write(tmp_path, {name + ".py": "MINE = 'my {}'\n".format(name) for name in names})
    source = "import {0}\nprint [each.MINE for each in ({0})]\nimport late\n".format(", ".join(names))
    here.write(tmp_path, {"script.py": source, "late.py": "import random, pickle\nprint random.MINE, pickle.MINE\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert (code, out) == (0, "{}\nmy random my pickle\n".format(["my " + name for name in names])), err


def test_an_error_that_is_python_2s_says_so(tmp_path):
    here.write(tmp_path, {"script.py": "print({'a': 1}.keys()[0])\n"})
    code, _, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert code == 1 and err.splitlines()[-2:] == [
        "TypeError: 'dict_keys' object is not subscriptable",
        "legacy-towers: if the script was written for Python 2, try --py2",
    ]
    assert outcome(started(tmp_path, RUN + ["--py2", "script.py"])) == (0, "a\n", "")


def test_python_path_and_parent_folders_hold_the_users_modules(tmp_path):
    here.write(tmp_path, {"lib/far.py": "NAME = 'far'\n", "upper.py": "NAME = 'upper'\n"})
    here.write(tmp_path, {"job/train.py": "import sys\nsys.path.append('..')\nimport far, upper\nprint(far, upper)\n"})
    assert_alike(tmp_path / "job", ["train.py"], PYTHONPATH=str(tmp_path / "lib"), PYTHONDONTWRITEBYTECODE="1")


def test_a_link_to_a_script_and_a_folder_with_a_main(tmp_path):
    here.write(tmp_path, {"job/__main__.py": "import sys, beside\nprint(sys.argv, sys.path[0], __file__)\n"})
    here.write(tmp_path, {"job/beside.py": "", "job/script.py": "import sys, beside\nprint(sys.path[0])\n"})
    os.symlink(str(tmp_path / "job" / "script.py"), str(tmp_path / "link.py"))
    code, out, _ = assert_alike(tmp_path, ["link.py"], PYTHONDONTWRITEBYTECODE="1")
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
def test_it_ends_as_with_python(tmp_path, source):
    here.write(tmp_path, dict(HELPERS, **{"script.py": textwrap.dedent(source)}))
    plain, ours = both(tmp_path, ["script.py"], PYTHONDONTWRITEBYTECODE="1")
    if source is ENDINGS["syntax"]:  # Python 3.7 names another line where it reads from a file
        plain, ours = ((each[0], each[2].splitlines()[-1]) for each in (plain, ours))
    assert ours == plain


def test_a_signal_ends_it(tmp_path):
    here.write(tmp_path, {"script.py": "import time\nprint('ready', flush=True)\ntime.sleep(60)\n"})
    process = started(tmp_path, RUN + ["script.py"])
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert outcome(process)[0] == -signal.SIGTERM


def test_an_own_folder_called_tensorflow_wins(tmp_path):
    here.write(tmp_path, {"tensorflow/__init__.py": "MINE = 3\n"})
    here.write(tmp_path, {"script.py": "import tensorflow\nprint(tensorflow.MINE)\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["script.py"]))
    assert (code, out) == (0, "3\n")
    assert err == "legacy-towers: {}: this folder of yours is what the script imports as tensorflow\n".format(
        tmp_path / "tensorflow"
    )


def test_a_process_that_the_script_forks_reports_nothing(tmp_path):
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
    # Python 3.12 and later warn of a fork beside any thread, such as the one that hears of signals.
    assert (code, out) == (0, "3\n") and (not err or (sys.version_info >= (3, 12) and "os.fork()" in err))
    assert os.listdir(str(tmp_path)) == ["script.py"]


def test_a_report_that_can_not_be_written_at_the_end_is_one_sentence(tmp_path):
    here.write(tmp_path, {"script.py": "import os, sys\nos.rmdir('gone')\nsys.exit(4)\n"})
    os.mkdir(str(tmp_path / "gone"))
    code, out, err = outcome(started(tmp_path, RUN + ["--report", "gone/report.json", "script.py"]))
    assert (code, out) == (4, "") and len(err.splitlines()) == 1
    assert err.startswith("legacy-towers: error: the report can't be written to ")


@pytest.mark.parametrize("words", [["run", "{}/script.py"], ["run", "-m", "json"], ["run", "--check", "{}/script.py"],
                                   ["bottleneck", "--json", "x", "{}/script.py"]], ids=" ".join)
def test_a_working_folder_that_is_gone_is_one_sentence(tmp_path, words):
    here.write(tmp_path, {"script.py": ""})
    os.mkdir(str(tmp_path / "gone"))
    program = "import os, sys\nos.rmdir(os.getcwd())\nfrom legacy_towers.cli.main import main\nsys.exit(main())\n"
    words = [word.format(tmp_path) for word in words]
    code, out, err = outcome(started(tmp_path / "gone", ["-c", program] + words))
    said = "legacy-towers: error: the folder that you are in is gone: change to one that is there"
    assert (code, out) == (2, "") and err.splitlines()[-1] == said
    assert "Traceback" not in err


MISTAKES = {
    "no script": ([], "which script?"),
    "not there": (["gone.py"], "there is no script 'gone.py'"),
    "a folder": (["empty"], "the folder 'empty' has no __main__.py"),
    "nothing after --": (["--"], "which script?"),
    "standard input": (["-"], "a script on standard input has no folder"),
    "a notebook": (["notes.ipynb"], "'notes.ipynb' is a notebook: write its code to a file by `jupyter nbconvert"),
    "bytecode": (["script.pyc"], "'script.pyc' is compiled already: name the .py file"),
    "a program": (["binary"], "'binary' is no script: it has null bytes"),
    "an archive": (["job.zip"], "'job.zip' is an archive: unpack it"),
    "a check of standard input": (["--check", "-"], "standard input has no folder"),
    "a file as a module": (["-m", "script.py"], "did you mean the script, without -m?"),
    "no module": (["-m"], "-m needs the name of a module"),
    "check with an option of run": (["--check", "script.py", "--py2"], "--check runs nothing: leave --py2 out"),
    "check with 0": (["--check", "script.py", "--intra-op-threads", "0"], "leave --intra-op-threads out"),
    "check of a script with words": (["--check", "script.py", "script.py"], "leave 'script.py' out"),
    "check with an option of the script": (
        ["--check", "script.py", "--lr", "0.1"],
        "there is no option --lr; --check runs nothing: leave the script's options out",
    ),
    "check of no module": (["--check", "-m"], "-m needs the name of a module"),
    "check of a module that is not there": (["--check", "-mgone"], "there is no module 'gone' in "),
    "check of a module with words": (["--check", "-m", "script", "x"], "leave 'x' out"),
    "json without check": (["--json", "script.py"], "name a PATH with --check"),
    "a relative module": (["-m", ".script"], "there is no module '.script'"),
    "an unknown option": (["--lr", "0.1", "script.py"], "there is no option --lr; options of the script come after it"),
}


@pytest.mark.parametrize("arguments, words", list(MISTAKES.values()), ids=list(MISTAKES))
def test_our_own_mistakes_end_with_2(tmp_path, arguments, words):
    here.write(tmp_path, {"script.py": "", "empty/readme.txt": "", "notes.ipynb": "{}", "script.pyc": ""})
    here.write(tmp_path, {"binary": b"E\0", "job.zip": b"PK\3\4\0"})
    code, out, err = outcome(started(tmp_path, RUN + arguments))
    assert (code, out) == (2, "") and words in err and len(err.splitlines()) == 1
