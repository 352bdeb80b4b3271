"""subprocess as the modules of a script see it: a Python script of theirs that they start sees what they see."""
import functools
import subprocess
from typing import Any, Callable, Dict, List, Sequence, Tuple

from legacy_towers.oldtf.launch import children

# The first arguments of subprocess.Popen.
_NAMES = (
    "args", "bufsize", "executable", "stdin", "stdout", "stderr", "preexec_fn", "close_fds", "shell", "cwd", "env"
)


class Popen(subprocess.Popen):
    """subprocess.Popen."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        arguments, options = _instead(arguments, options)
        super().__init__(*arguments, **options)


def _instead(arguments: Tuple[Any, ...], options: Dict[str, Any]) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """Returns the arguments of Popen with what is started in place of what they name."""
    given = dict(zip(_NAMES, arguments), **options)
    words = given.get("args")
    if given.get("shell"):
        children.say_of_shell(words)
    if not isinstance(words, (list, tuple)) or given.get("shell") or given.get("executable") is not None:
        return arguments, options
    words = children.instead_of(words, given.get("cwd"), given.get("env"))
    if arguments:
        return (words,) + arguments[1:], options
    return arguments, dict(options, args=words)


def _of_words(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def with_words(*arguments: Any, **options: Any) -> Any:
        arguments, options = _instead(arguments, options)
        return function(*arguments, **options)

    return with_words


call = _of_words(subprocess.call)
check_call = _of_words(subprocess.check_call)
check_output = _of_words(subprocess.check_output)
run = _of_words(subprocess.run)

__all__: Sequence[str] = subprocess.__all__


def __getattr__(name: str) -> Any:
    return getattr(subprocess, name)


def __dir__() -> List[str]:
    return dir(subprocess)
