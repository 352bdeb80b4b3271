"""An argument parser whose errors are one sentence, without the usage that would hide it."""
import argparse
import difflib
from typing import Any, List, NoReturn


class Parser(argparse.ArgumentParser):
    """Takes options by their full names only: a job's options must not change what an abbreviation means.

    Attributes:
      note: what is said besides about an option that does not exist; set by who adds options of its own.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        keywords.setdefault("allow_abbrev", False)
        keywords.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*arguments, **keywords)
        self.note = ""

    def error(self, message: str) -> NoReturn:
        self.exit(2, "{0}: error: {1}; see {0} --help\n".format(self.prog, message))

    def refuse(self, words: List[str]) -> NoReturn:
        """Says that the first of `words`, which nothing took, is no option or one word too many."""
        word = words[0].split("=")[0]
        if not word.startswith("-"):
            self.error("{!r} is one word too many".format(word))
        # Not those of the usage: a command that runs a script says [OPTIONS] there. Nearer than --lr and --help are.
        options = [name for name in self._option_string_actions if name.startswith("--")]
        close = difflib.get_close_matches(word, options, 1, cutoff=0.7)
        meant = ", did you mean {}?".format(close[0]) if close else ""
        self.error("there is no option {}{}{}".format(word, meant, self.note and "; " + self.note))
