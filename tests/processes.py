"""Runs Python in a new process, for things that a process can do only once, such as importing TensorFlow."""
import os
import subprocess
import sys
import textwrap

import preloaded

# Put before a program: importing the blocked modules then fails as if they were not installed.
BLOCKER = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ModuleNotFoundError("No module named {{!r}}".format(name), name=name)
sys.meta_path.insert(0, Blocker())
"""


def run_python(program, blocked=(), arguments=(), cwd=None, **environment):
    """Runs the source `program` and returns the CompletedProcess; `environment` maps names to text or None (unset)."""
    source = (BLOCKER.format(blocked=tuple(blocked)) if blocked else "") + textwrap.dedent(program)
    return run([sys.executable, "-c", source] + list(arguments), cwd, **environment)


def run_preloaded(program, arguments=(), cwd=None, **environment):
    """Runs a source as `run_python` does, in a process that finds TensorFlow imported."""
    return run([preloaded.executable(), "-c", textwrap.dedent(program)] + list(arguments), cwd, **environment)


def run(command, cwd=None, **environment):
    variables = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2")
    # legacy_towers.compat has set it in this process; the other process must set it itself.
    variables.pop("TF_USE_LEGACY_KERAS", None)
    for name, value in environment.items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = value
    return subprocess.run(
        command, cwd=cwd, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True
    )


def output_of(*arguments, **keywords):
    """Returns the output of `run_python`; fails the test if the process fails."""
    done = run_python(*arguments, **keywords)
    assert done.returncode == 0, done.stderr
    return done.stdout
