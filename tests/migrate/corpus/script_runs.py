"""Runs a script of the corpus in this process, as `legacy-towers run --queues-to-dataset --prove` does."""
import contextlib
import functools
import io
import json
import os
import sys
import tempfile
import types
from typing import Any, Dict, List, NamedTuple
from unittest import mock

from absl import flags
from run.runtime.prepared import parsed

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import user_script
from legacy_towers.run import loader, replaced_modules
from legacy_towers.run.runtime import options, queue_proof
from legacy_towers.run.runtime.symbols import SYMBOLS

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts")


class Ran(NamedTuple):
    """What a run gave.

    Attributes:
      plans: the plan of each queue or reader, as in the report: a dict that has its proof too.
      training: the proofs of the first training steps.
      printed: what the script and the runtime printed.
    """

    plans: List[Dict[str, Any]]
    training: List[Dict[str, Any]]
    printed: str


def names():
    """Returns the names of all scripts, without .py."""
    return sorted(name[: -len(".py")] for name in os.listdir(SCRIPTS) if name.endswith(".py"))


def path_of(name):
    return os.path.join(SCRIPTS, name + ".py")


def run(name, data):
    """Runs a script on the data in the folder `data`: its queues are converted, and the conversion is proven.

    The script works in a folder of its own, which is removed.

    Raises:
      AssertionError: the script ends with an exit code; the message is what was printed.
    """
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), _in(folder):
            try:
                _execute(path_of(name), [str(data)], "--queues-to-dataset --prove --report " + report)
            except SystemExit as ended:
                assert not ended.code, "{} ends with code {}\n{}".format(name, ended.code, printed.getvalue())
        with open(report) as file:
            found = json.load(file)
    return Ran(found["queues"], found["training_proofs"], printed.getvalue())


def _execute(path, arguments, chosen):
    """Executes the file `path` as `__main__`, with the options `chosen` of `legacy-towers run`."""
    before = set(flags.FLAGS)
    main = types.ModuleType("__main__")
    main.__file__ = path
    run = user_script.ScriptRun(path, os.path.dirname(path), symbols=SYMBOLS)
    untimed = functools.partial(queue_proof.prove, rounds=0)
    with mock.patch.object(sys, "argv", [path] + arguments), _as_main(main), \
            mock.patch.object(queue_proof, "prove", untimed):
        user_script.begin(run)
        finder = loader.install(run, True, replaced_modules.replaced_modules())
        try:
            with open(path, "rb") as file:
                code = finder.compile(file.read(), path)
            with options.prepare(parsed(chosen), run), tf.Graph().as_default():
                exec(code, main.__dict__)
        finally:
            loader.uninstall(finder)
            user_script.end()
            for flag in set(flags.FLAGS) - before:
                delattr(flags.FLAGS, flag)


@contextlib.contextmanager
def _as_main(module):
    """Runs a block with `module` as `__main__`; modules that it imports stay, since they register gradients once."""
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        yield
    finally:
        sys.modules["__main__"] = before


@contextlib.contextmanager
def _in(folder):
    working = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(working)
