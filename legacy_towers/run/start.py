"""Runs a script as `python SCRIPT ARGUMENTS` does, with rewritten imports.

    program = start.script("train.py", ["--steps", "10"])           or start.module("package.train", [...])
    start.execute(program, program.run())

The script is the module `__main__` of the process, and nothing is restored at its end. Its exceptions are not caught,
so the interpreter ends the process as usual: with a traceback and code 1, with the code of sys.exit, or by the signal
of Ctrl-C. The traceback is shown without lines of legacy_towers.
"""
import builtins
import importlib.machinery
import importlib.util
import os
import re
import sys
import threading
import types
from typing import Any, List, NamedTuple, NoReturn, Sequence

from legacy_towers.compat.tf1 import refused_arguments, user_script
from legacy_towers.errors import UserError
from legacy_towers.run import deprecations, loader, process_setup, script_finder, shadowing, spawned, tracebacks
from legacy_towers.run.runtime.symbols import SYMBOLS
from legacy_towers.run.script_files import check_is_script

_MAIN = "__main__"
# Modules of Python that compile a script: their files are rewritten, so that they compile it as the script's own code.
_COMPILE_A_SCRIPT = ("cProfile", "profile", "trace")
# Python 3's error messages for code that needs Python 2's lists, integer division, byte strings or names. Compiled when
# an error is raised: that takes milliseconds.
_ERRORS_OF_PYTHON_2 = (
    r"'(dict_keys|dict_values|dict_items|map|zip|filter|range)' (object|and)|'float' object cannot be interpreted as an"
    r" integer|non-int of type 'float'|slice indices must be integers|indices must be integers or slices, not float"
    r"|only integers, slices .* are valid indices|bytes-like object is required, not 'str'|must be str, not bytes"
    r"|unsupported operand type\(s\) for .*'(dict_keys|dict_values|dict_items|map|zip|filter|range)'"
    r"|Expected int.* got .* of type 'float'|'(dict|str|bytes|string|itertools|generator)' (object )?has no attribute"
    r" '(has_key|iter\w+|view\w+|decode|format|next|letters|lowercase|uppercase|maketrans|join|i?zip|imap|ifilter)'"
    r"|'<' not supported between instances of"
)
_UNEXPECTED = re.compile(r"got an unexpected keyword argument '(\w+)'")


class Program(NamedTuple):
    """The script or module to run.

    Attributes:
      name: the path of a script, or the name of a module.
      is_module: whether it is a module.
      file: the script's file; "" for a module, whose file is found when it runs.
      folder: sys.path[0]: the folder of the script, or the working directory for a module.
      arguments: sys.argv[1:].
    """

    name: str
    is_module: bool
    file: str
    folder: str
    arguments: List[str]

    def run(self, options: Any = None) -> user_script.ScriptRun:
        """Returns the run of the program, which is not started yet."""
        return user_script.ScriptRun(self.name, self.folder, options, SYMBOLS)


def script(path: str, arguments: Sequence[str] = ()) -> Program:
    """Returns the program of the script at `path`: a file, or a folder with a `__main__.py`.

    Raises:
      UserError: there is no script at `path`.
    """
    if path == "-":
        raise UserError("a script on standard input has no folder to find its modules in: write it to a file")
    if not os.path.exists(path):
        from legacy_towers.text.files import working_directory_of

        raise UserError("there is no script {!r}{}".format(path, working_directory_of(path)))
    if not os.path.isdir(path):
        check_is_script(path)
        return Program(path, False, path, os.path.dirname(os.path.realpath(path)), list(arguments))
    file = os.path.join(path, "__main__.py")
    if not os.path.exists(file):
        raise UserError("the folder {!r} has no __main__.py: name the script itself".format(path))
    return Program(path, False, file, os.path.abspath(path), list(arguments))


def module(name: str, arguments: Sequence[str] = ()) -> Program:
    """Returns the program of the module `name`, as `python -m` runs it."""
    return Program(name, True, "", os.getcwd(), list(arguments))


def execute(program: Program, run: user_script.ScriptRun) -> None:
    """Runs `program` in this process, as its `__main__`."""
    launcher = sys._getframe()
    collected = deprecations.collect(run)
    try:
        _set_first_path(program.folder)
        shadowing.unload_shadowed(program.folder)
        finder = process_setup.begin(run, launcher)
        _strip_tracebacks_of_threads(launcher)
        code, main = _module_main(program, run) if program.is_module else _script_main(program, finder)
        run.launcher = sys.modules[_MAIN]
        sys.modules[_MAIN] = main
        exec(code, main.__dict__)
    except SystemExit as end:
        run.note_end(end)
        raise
    except BaseException as error:
        if run.runtime is not None and run.runtime.is_step_limit(error):
            raise SystemExit(0) from None
        run.note_end(error)
        collected.report()  # before the traceback
        _strip_traceback(launcher, run)
        raise


def _script_main(program: Program, finder: loader.ScriptFinder) -> Any:
    # From Python 3.9 on the __file__ of a script is absolute.
    shown = os.path.join(os.getcwd(), program.file) if sys.version_info >= (3, 9) else program.file
    sys.argv = [program.name] + program.arguments
    own = script_finder.ScriptLoader(_MAIN, shown, finder)
    with open(program.file, "rb") as source:
        code = finder.compile(source.read(), shown)
    return code, _new_main(__file__=shown, __loader__=own, __package__=None, __spec__=None, __cached__=None)


def _module_main(program: Program, run: user_script.ScriptRun) -> Any:
    sys.argv = ["-m"] + program.arguments
    top = importlib.machinery.PathFinder.find_spec(program.name.split(".")[0])
    for folder in (top.submodule_search_locations or ()) if top is not None else ():
        # The package counts as the user's, even if it is installed.
        run.add_root(folder)
    if program.name in _COMPILE_A_SCRIPT and top is not None and top.origin is not None:
        run.add_file(top.origin)
    spec = _find_module(program.name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _find_module(program.name + "." + _MAIN)
        if spec is None:
            _fail("{!r} is a package and has no __main__: it can't be run".format(program.name))
    if spec is None:
        meant = "; did you mean the script, without -m?" if os.path.isfile(program.name) else ""
        _fail("there is no module {!r} in {} or on the path{}".format(program.name, program.folder, meant))
    code = spec.loader.get_code(spec.name)
    if code is None:
        _fail("the module {!r} has no code that could be run".format(program.name))
    sys.argv[0] = str(spec.origin)
    if program.name == "pytest" and not any(word.split("=")[0] == "--assert" for word in program.arguments):
        # To rewrite asserts, pytest loads tests itself, which would import the installed TensorFlow.
        sys.argv.insert(1, "--assert=plain")
        user_script.print_message("-m pytest runs as -m pytest --assert=plain, so that tests import TensorFlow 1.x")
    main = _new_main(
        __file__=spec.origin, __loader__=spec.loader, __package__=spec.parent, __spec__=spec, __cached__=spec.cached
    )
    return code, main


def _find_module(name: str) -> Any:
    if name.startswith("."):  # a relative name
        return None
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        # A parent package is missing. An import error inside of a parent package is raised.
        if error.name is not None and (error.name == name or name.startswith(error.name + ".")):
            return None
        raise


def _new_main(**names: Any) -> types.ModuleType:
    main = types.ModuleType(_MAIN)
    main.__dict__.update(names, __builtins__=builtins)
    return main


def _set_first_path(folder: str) -> None:
    """Sets sys.path[0] to `folder`, in place of the folder of the program that started legacy_towers."""
    started = sys.modules[_MAIN]
    # `python -m legacy_towers` has removed its own: the first path can be one of PYTHONPATH.
    by_module = getattr(started, "__spec__", None) is not None
    ours = os.path.dirname(os.path.realpath(getattr(started, "__file__", None) or ""))
    if not by_module and sys.path and os.path.realpath(sys.path[0] or os.getcwd()) == ours:
        sys.path[0] = spawned.Folder(folder)
    else:
        sys.path.insert(0, spawned.Folder(folder))


def _strip_tracebacks_of_threads(launcher: types.FrameType) -> None:
    show: Any = getattr(threading, "excepthook", None)
    if show is None:  # before Python 3.8
        return

    def show_stripped(arguments: Any) -> None:
        error = arguments.exc_value
        if error is not None:
            tracebacks.strip(error, launcher)
            arguments = type(arguments)((arguments.exc_type, error, error.__traceback__, arguments.thread))
        show(arguments)

    threading.excepthook = show_stripped


def _strip_traceback(launcher: types.FrameType, run: user_script.ScriptRun) -> None:
    show: Any = sys.excepthook

    def show_stripped(kind: Any, error: BaseException, traceback: Any) -> None:
        tracebacks.strip(error, launcher)
        show(kind, error, error.__traceback__)
        unexpected = _UNEXPECTED.search(str(error)) if isinstance(error, TypeError) else None
        for sentence in refused_arguments.of_argument(unexpected.group(1)) if unexpected else ():
            user_script.print_message(sentence)
        kinds = (TypeError, AttributeError, IndexError)
        if isinstance(error, kinds) and not run.is_python_2 and re.search(_ERRORS_OF_PYTHON_2, str(error)):
            user_script.print_message("if the script was written for Python 2, try --py2")

    sys.excepthook = show_stripped


def _fail(text: str) -> NoReturn:
    user_script.print_message("error: " + text)
    raise SystemExit(2)
