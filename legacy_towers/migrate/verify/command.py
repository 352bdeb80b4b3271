"""The command of --verify: a script or a module with its arguments, and what runs it."""
import glob
import os
import shutil
import subprocess
import sys
from typing import Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.text.documented_fields import documented_fields

# Flags of Python without a value, which change nothing that is compared.
_PYTHON_FLAGS = ("-u", "-B", "-s", "-S", "-E", "-O", "-OO")
_NAMES = ("python3.7", "python3.6", "python3", "python")
_PROBE = (
    "import glob, os, sys\n"
    "print([os.path.basename(found) for path in sys.path for found in glob.glob(os.path.join(path or '.', "
    "'tensorflow*-*.dist-info'))])"
)


@documented_fields
class Command(NamedTuple):
    """What is run.

    Attributes:
      text: the command as it was given.
      variables: environment variables that it sets.
      options: options of `legacy-towers run`.
      program: the script and its arguments, or "-m", a module and its arguments.
    """

    text: str
    variables: Dict[str, str]
    options: List[str]
    program: List[str]


def split(text: str, words: List[str]) -> Tuple[Dict[str, str], List[str], bool]:
    """Returns the environment variables, the words after Python or `legacy-towers run`, and whether it was the latter.

    Args:
      text: the command, for messages.
      words: its words.

    Raises:
      ArgumentError: it names no script, or has options of Python that are not supported.
    """
    words, variables = list(words), {}
    while words and "=" in words[0] and words[0].split("=")[0].isidentifier():
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    if words and os.path.basename(words[0]) == "legacy-towers":
        if words[1:2] != ["run"]:
            raise ArgumentError("--verify {!r}: the command must be SCRIPT [ARGUMENTS], -m MODULE [ARGUMENTS], or "
                                "these after `python` or `legacy-towers run`".format(text))
        return variables, words[2:], True
    if words and os.path.basename(words[0]).startswith("python") and not words[0].endswith(".py"):
        words.pop(0)
        while words and words[0].startswith("-") and not words[0].startswith("-m"):
            flag = words.pop(0)
            if flag not in _PYTHON_FLAGS:
                raise ArgumentError("--verify {!r}: {} of Python is not supported; remove it".format(text, flag))
    if not words:
        raise ArgumentError("--verify {!r} names no script: pass SCRIPT [ARGUMENTS], or -m MODULE [ARGUMENTS]".format(
            text
        ))
    return variables, words, False


def check_python(python: str) -> str:
    """Returns the path of a Python that has TensorFlow 1.15.

    Raises:
      ArgumentError: there is no such program, or it has another TensorFlow.
    """
    path = shutil.which(python)
    if path is None:
        raise ArgumentError("--python {}: there is no such program".format(python))
    found = _tensorflow_of(path)
    if not _is_1_15(found):
        raise ArgumentError("--python {}: it has {}, not TensorFlow 1.15".format(
            python, " and ".join(found) or "no TensorFlow"
        ))
    return path


def find_python() -> Optional[str]:
    """Returns the path of a Python with TensorFlow 1.15: this one, or one on the PATH; None if there is none."""
    if _is_1_15(_installed()):
        return sys.executable
    for name in _NAMES:
        path = shutil.which(name)
        if path is not None and _is_1_15(_tensorflow_of(path)):
            return path
    return None


def find_python_of_2() -> Optional[str]:
    """Returns the path of this Python if it has TensorFlow 2, else None."""
    return sys.executable if any(each.startswith("2.") for each in _versions(_installed())) else None


def _installed() -> List[str]:
    """Returns the names of TensorFlow's packages of this Python, found without an import."""
    return [os.path.basename(each) for path in sys.path
            for each in glob.glob(os.path.join(path or ".", "tensorflow*-*.dist-info"))]


def _tensorflow_of(python: str) -> List[str]:
    try:
        ended = subprocess.run([python, "-c", _PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60,
                               stdin=subprocess.DEVNULL, check=False, universal_newlines=True)
    except (OSError, subprocess.TimeoutExpired):
        return []
    names = [each.strip(" '\"") for each in ended.stdout.strip().strip("[]").split(",")]
    return sorted(each.replace(".dist-info", "").replace("-", " ") for each in names if _is_tensorflow(each))


def _is_tensorflow(name: str) -> bool:
    package = name.split("-")[0].lower()
    return package in ("tensorflow", "tensorflow_cpu", "tensorflow_gpu", "nvidia_tensorflow", "tensorflow_rocm")


def _is_1_15(names: List[str]) -> bool:
    return any(each.startswith("1.15") for each in _versions(names))


def _versions(names: List[str]) -> List[str]:
    """Returns the versions of TensorFlow among packages: "tensorflow-2.21.0.dist-info", "tensorflow 2.21.0"."""
    parts = [each.replace(" ", "-").split("-") for each in names if _is_tensorflow(each.replace(" ", "-"))]
    return [each[1] for each in parts]
