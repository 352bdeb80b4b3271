"""Rewrites the commands by which a script starts Python scripts, so that they import TensorFlow 1.x too.

    [sys.executable, "-u", "worker.py", "--task=1"]
    [sys.executable, "-u", "-m", "legacy_towers", "run", "--num-devices=2", "worker.py", "--task=1"]

The options of `run` are passed on. Only commands that are lists and start the user's own scripts and modules are
rewritten, not those that a shell runs.
"""
import argparse
import importlib.machinery
import os
import re
import shutil
import sys
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers.compat.tf1 import user_script

_PYTHON = re.compile(r"python(\d(\.\d+)?)?(\.exe)?$", re.IGNORECASE)
_IN_A_SHELL = re.compile(r"\bpython[\d.]*\s+(?:-[uBEs]+\s+)*(?P<script>[^\s;&|-]\S*\.py)\b")
# Options of python that take an argument.
_WITH_ARGUMENT = ("-W", "-X", "-Q", "--check-hash-based-pycs")
# The options of `run` that are passed on; there is one report, of the script itself.
_FLAGS = ("py2", "generate_data", "warnings", "soft", "allow_growth", "queues_to_dataset", "prove",
          "allow_different", "no_doctor")
_VALUES = (
    "towers_device", "num_devices", "memory_fraction", "intra_op_threads", "inter_op_threads", "timeout_steps",
    "towers", "keep",
)


class _Target(NamedTuple):
    """The script or module that a command starts.

    Attributes:
      python: the interpreter to start it with.
      position: the index of the script, or of the option -m, in the command.
      name: the script or module.
    """

    python: str
    position: int
    name: str


def rewritten_command(command: Sequence[Any], cwd: Any = None, env: Any = None) -> Any:
    """Returns the command to start in place of `command`; `command` itself if it starts no script of the user.

    Args:
      command: the program and its arguments.
      cwd, env: as subprocess.Popen takes them.
    """
    run = user_script.running()
    try:
        texts = [os.fsdecode(argument) for argument in command]
        target = _target(texts, os.path.abspath(os.fsdecode(cwd or os.curdir)), env, run) if run is not None else None
    except TypeError:  # subprocess itself rejects arguments of other types
        return command
    if target is None or run is None:
        return command
    options = option_arguments(run.options)
    version = _version(texts[0])
    is_other = not "{}.{}".format(*sys.version_info).startswith(version)
    if version.startswith("2") and "--py2" not in options:
        options.insert(0, "--py2")
    shown = ("-m " if texts[target.position].startswith("-m") else "") + target.name
    user_script.report_replacement(
        "python{} {}".format(version if is_other else "", shown),
        "legacy-towers run {}{}{}".format(
            "--py2 " if version.startswith("2") else "",
            shown,
            ", by Python {}.{}".format(*sys.version_info) if is_other else "",
        ),
    )
    prefix = [target.python] + texts[1 : target.position]
    return prefix + ["-m", "legacy_towers", "run"] + options + list(command[target.position :])


def report_shell_command(text: Any) -> None:
    """Reports that a script which the shell command `text` starts imports the installed TensorFlow."""
    found = _IN_A_SHELL.search(os.fsdecode(text)) if isinstance(text, (str, bytes)) else None
    if found is not None:
        meaning = "plain python, since a shell starts it; for TensorFlow 1.x write legacy-towers run {}"
        user_script.report_replacement(found.group(0), meaning.format(found.group("script")))


def option_arguments(options: Optional[argparse.Namespace]) -> List[str]:
    """Returns the arguments of the command line that pass `options` on to another `run`."""
    given = vars(options) if options is not None else {}
    flags = ["--" + name.replace("_", "-") for name in _FLAGS if given.get(name)]
    values = [(name, given.get(name)) for name in _VALUES]
    return flags + ["--{}={}".format(name.replace("_", "-"), value) for name, value in values if value is not None]


def _target(command: List[str], folder: str, env: Any, run: user_script.ScriptRun) -> Optional[_Target]:
    python = _interpreter(command[0], env) if command else None
    index = _first_non_option(command)
    if python is None or index >= len(command):
        return None
    argument = command[index]
    if not argument.startswith("-"):
        return _Target(python, index, argument) if _is_script(os.path.join(folder, argument), run) else None
    name = (command[index + 1 : index + 2] or [""])[0] if argument == "-m" else argument[len("-m") :]
    if not argument.startswith("-m") or not _is_module(name, folder, run):
        return None
    return _Target(python, index, name)


def _interpreter(program: str, env: Any) -> Optional[str]:
    """Returns the interpreter to start in place of `program`; None if `program` is not Python or another Python.

    A bare name such as `python` or `python2` means this Python.
    """
    if not sys.executable or not _PYTHON.match(os.path.basename(program)):
        return None
    if os.path.dirname(program):
        return program if _is_this(program) else None
    path = (os.environ if env is None else env).get("PATH")
    found = shutil.which(program, path=path)
    return program if found is not None and _is_this(found) else sys.executable


def _version(program: str) -> str:
    """Returns "2.7" for python2.7 and "" for python."""
    found = _PYTHON.match(os.path.basename(program))
    return (found.group(1) or "") if found is not None else ""


def _is_this(python: str) -> bool:
    # Folders are compared too, since the interpreters of all virtual environments of a Python link to one file.
    folders = [os.path.dirname(os.path.abspath(each)) for each in (python, sys.executable)]
    return os.path.exists(python) and os.path.samefile(*folders) and os.path.samefile(python, sys.executable)


def _first_non_option(command: Sequence[str]) -> int:
    """Returns the index of the script, or of -m, -c or -, which end python's options too."""
    index = 1
    while index < len(command):
        argument = command[index]
        if not argument.startswith("-") or argument == "-" or argument.startswith(("-m", "-c")):
            break
        index += 2 if argument in _WITH_ARGUMENT else 1
    return index


def _is_script(path: str, run: user_script.ScriptRun) -> bool:
    file = os.path.join(path, "__main__.py") if os.path.isdir(path) else path
    return file.endswith(".py") and os.path.isfile(file) and run.owns(os.path.abspath(file))


def _is_module(name: str, folder: str, run: user_script.ScriptRun) -> bool:
    """Returns whether `python -m name`, started in `folder`, runs a module of the user."""
    top = importlib.machinery.PathFinder.find_spec(name.split(".")[0], [folder]) if name else None
    if top is None:
        return False
    files = [top.origin] if top.origin else list(top.submodule_search_locations or ())
    return bool(files) and run.owns(os.path.abspath(files[0]))
