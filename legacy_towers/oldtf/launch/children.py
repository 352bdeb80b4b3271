"""Python scripts that a script starts: what is started instead, so that they see TensorFlow 1.x too.

    [sys.executable, "-u", "worker.py", "--task=1"]
    [sys.executable, "-u", "-m", "legacy_towers", "run", "--num-devices=2", "worker.py", "--task=1"]

The options of `run` go with it. Only scripts and modules of the user's own are served, given as a list of words;
what a shell reads is the shell's.
"""
import argparse
import importlib.machinery
import os
import re
import shutil
import sys
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers.oldtf import current

_PYTHON = re.compile(r"python(\d(\.\d+)?)?(\.exe)?$", re.IGNORECASE)
_IN_A_SHELL = re.compile(r"\bpython[\d.]*\s+(?:-[uBEs]+\s+)*(?P<script>[^\s;&|-]\S*\.py)\b")
# Options of python that take a word.
_WITH_A_WORD = ("-W", "-X", "-Q", "--check-hash-based-pycs")
# Options of `run`; the report is that of the script itself.
_FLAGS = ("py2", "generate_data", "soft", "allow_growth")
_VALUES = (
    "towers_device", "num_devices", "memory_fraction", "intra_op_threads", "inter_op_threads", "timeout_steps"
)


class _Started(NamedTuple):
    """What a list of words starts.

    Attributes:
      python: the interpreter to start it with.
      at: the index of the script, or of the option -m, among the words.
      name: of the script or module.
    """

    python: str
    at: int
    name: str


def instead_of(words: Sequence[Any], cwd: Any = None, env: Any = None) -> Any:
    """Returns the words to start in place of `words`; the same where they start no script of the user's.

    Args:
      words: the program and its arguments.
      cwd, env: of the process to start, as subprocess takes them.
    """
    run = current.running()
    try:
        texts = [os.fsdecode(word) for word in words]
        started = _started(texts, os.path.abspath(os.fsdecode(cwd or os.curdir)), env, run) if run is not None else None
    except TypeError:  # what is no word subprocess refuses, in its own
        return words
    if started is None or run is None:
        return words
    with_options = option_words(run.options)
    version = _version(texts[0])
    is_other = not "{}.{}".format(*sys.version_info).startswith(version)
    if version.startswith("2") and "--py2" not in with_options:
        with_options.insert(0, "--py2")
    shown = ("-m " if texts[started.at].startswith("-m") else "") + started.name
    current.say_once(
        "python{} {}".format(version if is_other else "", shown),
        "legacy-towers run {}{}{}".format(
            "--py2 " if version.startswith("2") else "",
            shown,
            ", by Python {}.{}".format(*sys.version_info) if is_other else "",
        ),
    )
    return [started.python] + texts[1 : started.at] + ["-m", "legacy_towers", "run"] + with_options + list(
        words[started.at :])


def say_of_shell(text: Any) -> None:
    """Says of the `text` that a shell is to read that a script which it starts sees today's TensorFlow."""
    found = _IN_A_SHELL.search(os.fsdecode(text)) if isinstance(text, (str, bytes)) else None
    if found is not None:
        meaning = "plain python, which a shell starts: legacy-towers run {} would see TensorFlow 1.x"
        current.say_once(found.group(0), meaning.format(found.group("script")))


def option_words(options: Optional[argparse.Namespace]) -> List[str]:
    """Returns the words of the command line that give a script that is started the `options` of this one."""
    given = vars(options) if options is not None else {}
    words = ["--" + name.replace("_", "-") for name in _FLAGS if given.get(name)]
    values = [(name, given.get(name)) for name in _VALUES]
    return words + ["--{}={}".format(name.replace("_", "-"), value) for name, value in values if value is not None]


def _started(words: List[str], folder: str, env: Any, run: current.ScriptRun) -> Optional[_Started]:
    python = _interpreter(words[0], env) if words else None
    index = _first_that_is_no_option(words)
    if python is None or index >= len(words):
        return None
    word = words[index]
    if not word.startswith("-"):
        return _Started(python, index, word) if _is_script(os.path.join(folder, word), run) else None
    name = (words[index + 1 : index + 2] or [""])[0] if word == "-m" else word[len("-m") :]
    if not word.startswith("-m") or not _is_module(name, folder, run):
        return None
    return _Started(python, index, name)


def _interpreter(word: str, env: Any) -> Optional[str]:
    """Returns the path of this Python where `word` means it, as `python` and `python2` do; None for other programs."""
    if not sys.executable or not _PYTHON.match(os.path.basename(word)):
        return None
    if os.path.dirname(word):
        return word if _is_this(word) else None
    path = (os.environ if env is None else env).get("PATH")
    found = shutil.which(word, path=path)
    return word if found is not None and _is_this(found) else sys.executable


def _version(word: str) -> str:
    """Returns "2.7" of python2.7, and "" of python."""
    found = _PYTHON.match(os.path.basename(word))
    return (found.group(1) or "") if found is not None else ""


def _is_this(python: str) -> bool:
    # Not by what links lead to: that is the same for all virtual environments of a Python.
    folders = [os.path.dirname(os.path.abspath(each)) for each in (python, sys.executable)]
    return os.path.exists(python) and os.path.samefile(*folders) and os.path.samefile(python, sys.executable)


def _first_that_is_no_option(words: Sequence[str]) -> int:
    """Returns the index of the script, of -m, or of what ends the options otherwise: -c and a lone -."""
    index = 1
    while index < len(words):
        word = words[index]
        if not word.startswith("-") or word == "-" or word.startswith(("-m", "-c")):
            break
        index += 2 if word in _WITH_A_WORD else 1
    return index


def _is_script(path: str, run: current.ScriptRun) -> bool:
    file = os.path.join(path, "__main__.py") if os.path.isdir(path) else path
    return file.endswith(".py") and os.path.isfile(file) and run.owns(os.path.abspath(file))


def _is_module(name: str, folder: str, run: current.ScriptRun) -> bool:
    """Returns whether `python -m name`, started in `folder`, finds a module of the user's."""
    top = importlib.machinery.PathFinder.find_spec(name.split(".")[0], [folder]) if name else None
    if top is None:
        return False
    files = [top.origin] if top.origin else list(top.submodule_search_locations or ())
    return bool(files) and run.owns(os.path.abspath(files[0]))
