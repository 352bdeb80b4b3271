"""subprocess, whose functions start the user's Python scripts by `legacy-towers run`; see `run.children`."""
import functools
import subprocess
from typing import Any, Callable, Dict, List, Sequence, Tuple

from legacy_towers.run import children

# The first parameters of subprocess.Popen.
_NAMES = (
    "args", "bufsize", "executable", "stdin", "stdout", "stderr", "preexec_fn", "close_fds", "shell", "cwd", "env"
)


class Popen(subprocess.Popen):
    """subprocess.Popen, with a rewritten command; `args` is the command that the script gave."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        by_name = _by_name(arguments, options)
        arguments, options = _with_command(arguments, options, _command(by_name))
        super().__init__(*arguments, **options)
        self.args = by_name["args"]


def _by_name(arguments: Tuple[Any, ...], options: Dict[str, Any]) -> Dict[str, Any]:
    return dict(zip(_NAMES, arguments), **options)


def _command(by_name: Dict[str, Any]) -> Any:
    """Returns the command to start for the arguments of Popen; their `args` if it is not rewritten."""
    command = by_name.get("args")
    if by_name.get("shell"):
        children.report_shell_command(command)
    if not isinstance(command, (list, tuple)) or by_name.get("shell") or by_name.get("executable") is not None:
        return command
    return children.rewritten_command(command, by_name.get("cwd"), by_name.get("env"))


def _with_command(
    arguments: Tuple[Any, ...], options: Dict[str, Any], command: Any
) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """Returns the arguments of Popen with `command` as its `args`."""
    if arguments:
        return (command,) + arguments[1:], options
    return arguments, dict(options, args=command) if "args" in options else options


def _with_rewritten_command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function` with a rewritten command; its result and errors show the command that the script gave."""

    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        by_name = _by_name(arguments, options)
        command = _command(by_name)
        arguments, options = _with_command(arguments, options, command)
        try:
            done = function(*arguments, **options)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            if error.cmd is command:
                error.cmd = by_name["args"]
            raise
        if isinstance(done, subprocess.CompletedProcess) and done.args is command:
            done.args = by_name["args"]
        return done

    return called


call = _with_rewritten_command(subprocess.call)
check_call = _with_rewritten_command(subprocess.check_call)
check_output = _with_rewritten_command(subprocess.check_output)
run = _with_rewritten_command(subprocess.run)

__all__: Sequence[str] = subprocess.__all__


def __getattr__(name: str) -> Any:
    return getattr(subprocess, name)


def __dir__() -> List[str]:
    return dir(subprocess)
