"""An argument parser that prints an error in one line, without the usage."""
import argparse
from typing import Any, NoReturn, Sequence

from legacy_towers.text.names import did_you_mean


class Parser(argparse.ArgumentParser):
    """Accepts options by their full names only: a job's options must not change the meaning of abbreviations.

    Attributes:
      note: appended to the error about an option that does not exist.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        keywords.setdefault("allow_abbrev", False)
        keywords.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*arguments, **keywords)
        self.note = ""

    def error(self, message: str) -> NoReturn:
        # The prefix of all errors is the program without its subcommand.
        self.exit(2, "{}: error: {}; see {} --help\n".format(self.prog.split()[0], message, self.prog))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        # Private: argparse suggests no choice by default before Python 3.14. Tried on 3.7 and 3.11.
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            meant = did_you_mean(str(value), map(str, action.choices or ()))
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
        meant = did_you_mean(name, options).replace("'", "")
        self.error("there is no option {}{}{}".format(name, meant, self.note and "; " + self.note))
