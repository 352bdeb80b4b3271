"""codecs, whose `open` accepts the mode "rU", as before Python 3.11."""
import codecs as _now
from typing import Any

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run.libraries.views import pass_on as _pass_on
from legacy_towers.run.rewriting.file_modes import without_u

_pass_on(globals(), _now)


def open(filename: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:  # noqa: A001
    if "U" in mode:
        plain = without_u(mode)
        user_script.report_replacement("the mode {!r} of codecs.open".format(mode), repr(plain))
        mode = plain
    return _now.open(filename, mode, *arguments, **options)
