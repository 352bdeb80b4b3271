"""Options of `run` that stand after the script, where they are the script's arguments."""
import re
import tokenize
from typing import Any, Iterable, List

_HINT = "{0} is an option of run, and no file of the script names it: pass it before the script, as in " \
    "`legacy-towers run {0} {1}`"


class MisplacedOptions:
    """Reports once an argument of the script that is an option of `run`, and that no file of the script names.

    The argument stays the script's own: a script that names it knows it.

    Args:
      script_run: the run of the script.
      words: the script, or -m and a module, and its arguments.
      options: the options of `run`: "--towers".
    """

    def __init__(self, script_run: Any, words: List[str], options: Iterable[str]) -> None:
        first = 2 if words[0] == "-m" else 1
        self._run, self._program, self._arguments = script_run, " ".join(words[:first]), words[first:]
        self._options = set(options)
        self._is_reported = False

    def lines(self) -> List[str]:
        """Returns the lines to print; empty if there is nothing to report, or if it was reported."""
        found = [index for index, each in enumerate(self._arguments) if each.partition("=")[0] in self._options]
        if self._is_reported or not found or not self._run.files:
            return []
        texts = [_text(path) for path in self._run.files]
        for index in found:
            words = self._arguments[index:index + 2]
            name = words[0].partition("=")[0].lstrip("-")
            pattern = re.compile(r"\b{}\b".format(re.sub("[-_]", "[-_]", name)))
            if not any(pattern.search(text) for text in texts):
                self._is_reported = True
                is_one = "=" in words[0] or words[-1].startswith("-")
                return [_HINT.format(" ".join(words[:1] if is_one else words), self._program)]
        return []


def _text(path: str) -> str:
    try:
        with tokenize.open(path) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeError):
        return ""
