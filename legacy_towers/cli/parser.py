"""An argument parser that prints an error in one line, without the usage."""
import argparse
import os
import sys
from typing import Any, Iterable, NoReturn, Sequence


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str, **keywords: Any) -> None:
        # Without a width, argparse imports shutil for that of the terminal, at the first `add_argument`.
        super().__init__(prog, **dict({"width": _columns() - 2}, **keywords))


class Parser(argparse.ArgumentParser):
    """Accepts options by their full names only: a job's options must not change the meaning of abbreviations.

    Attributes:
      note: appended to the error about an option that does not exist.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        keywords.setdefault("allow_abbrev", False)
        keywords.setdefault("formatter_class", _Formatter)
        super().__init__(*arguments, **keywords)
        self.note = ""

    def error(self, message: str) -> NoReturn:
        if message.endswith(": expected one argument"):
            message += ", and none follows; one that begins with - is given with =, as in --name=-1"
        # The prefix of all errors is the program without its subcommand.
        self.exit(2, "{}: error: {}; see {} --help\n".format(self.prog.split()[0], message, self.prog))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        # Private: argparse suggests no choice by default before Python 3.14. Tried on 3.7 and 3.11.
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            meant = _did_you_mean(str(value), map(str, action.choices or ()))
            error.message = error.message.replace(repr(value), repr(value) + meant, 1)
            raise

    def refuse(self, arguments: Sequence[str], also: Sequence[str] = ()) -> NoReturn:
        """Ends the program with an error about the first of the unrecognized `arguments`.

        Args:
          also: options to suggest besides those of this parser.
        """
        name = arguments[0].split("=")[0]
        if not name.startswith("-"):
            self.error("unexpected argument {!r}".format(name))
        options = [each for each in self._option_string_actions if each.startswith("--")] + list(also)
        meant = _did_you_mean(name, options).replace("'", "")
        self.error("there is no option {}{}{}".format(name, meant, self.note and "; " + self.note))


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    # Imported when there is an error: difflib takes as long as argparse.
    from legacy_towers.text.names import did_you_mean

    return did_you_mean(name, known)


def _columns() -> int:
    """Returns what shutil.get_terminal_size does."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return 80
