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
        given = _given(arguments, options)
        arguments, options = _with_words(arguments, options, _instead(given))
        super().__init__(*arguments, **options)
        self.args = given["args"]


def _given(arguments: Tuple[Any, ...], options: Dict[str, Any]) -> Dict[str, Any]:
    return dict(zip(_NAMES, arguments), **options)


def _instead(given: Dict[str, Any]) -> Any:
    """Returns what is started in place of the `args` that Popen was given; the same where nothing is."""
    words = given.get("args")
    if given.get("shell"):
        children.say_of_shell(words)
    if not isinstance(words, (list, tuple)) or given.get("shell") or given.get("executable") is not None:
        return words
    return children.instead_of(words, given.get("cwd"), given.get("env"))


def _with_words(
    arguments: Tuple[Any, ...], options: Dict[str, Any], words: Any
) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """Returns the arguments of Popen with `words` as its `args`."""
    if arguments:
        return (words,) + arguments[1:], options
    return arguments, dict(options, args=words) if "args" in options else options


def _of_words(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def with_words(*arguments: Any, **options: Any) -> Any:
        given = _given(arguments, options)
        words = _instead(given)
        arguments, options = _with_words(arguments, options, words)
        try:
            done = function(*arguments, **options)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            if error.cmd is words:
                error.cmd = given["args"]
            raise
        if isinstance(done, subprocess.CompletedProcess) and done.args is words:
            done.args = given["args"]
        return done

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
