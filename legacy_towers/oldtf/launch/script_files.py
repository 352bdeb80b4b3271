"""What is no script, told before anything runs: python itself would run some of it, or fail with a riddle."""
import os

from legacy_towers.errors import UserError

_HEAD = 4096  # bytes
# The ending of a file -> what it is, and what to do.
_OTHERS = {
    ".ipynb": "is a notebook: write its code to a file by `jupyter nbconvert --to script`, and name that",
    ".pyc": "is compiled already: name the .py file that it was made of",
    ".pyo": "is compiled already: name the .py file that it was made of",
}


def check_is_script(path: str, may_be_no_text: bool = False) -> None:
    """Checks that the file at `path` may be a Python script; whether it is one Python's parser tells.

    Args:
      may_be_no_text: leave a file with null bytes to the parser, too.

    Raises:
      UserError: it is none, or can't be read.
    """
    other = _OTHERS.get(os.path.splitext(path)[1].lower())
    if other is not None:
        raise UserError("{!r} {}".format(path, other))
    if not os.path.isfile(path):  # a pipe can be read once
        return
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise UserError("{!r} can't be read: {}".format(path, error.strerror)) from error
    if b"PK\3\4" in head:
        raise UserError("{!r} is an archive: unpack it, and name the script".format(path))
    if b"\0" in head and not may_be_no_text:
        raise UserError("{!r} is no script: it has null bytes, as programs, data and text in UTF-16 have".format(path))
