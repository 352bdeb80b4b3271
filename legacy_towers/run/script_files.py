"""Rejects files that are not Python scripts before running anything."""
import os

from legacy_towers.errors import UserError

_HEAD = 4096  # bytes
# Extension -> what the file is, and what to do.
_OTHERS = {
    ".ipynb": "is a notebook: write its code to a file by `jupyter nbconvert --to script`, and name that",
    ".pyc": "is compiled bytecode: name its .py file",
    ".pyo": "is compiled bytecode: name its .py file",
}
# Extensions of text that is not Python; a script may have no extension, or one of its own.
_NOT_PYTHON = (
    ".md .rst .html .htm .xml .css .js .json .jsonl .yaml .yml .toml .ini .cfg .csv .tsv .sh .c .cc .cpp .h .pbtxt"
).split()


def check_is_script(path: str, allows_null_bytes: bool = False) -> None:
    """Checks that the file at `path` may be a Python script, without parsing it.

    Args:
      path: the path of the file.
      allows_null_bytes: whether to accept a file with null bytes, which Python's parser rejects.

    Raises:
      UserError: the file is not a script or can't be read.
    """
    other = _OTHERS.get(os.path.splitext(path)[1].lower())
    if other is not None:
        raise UserError("{!r} {}".format(path, other))
    if os.path.splitext(path)[1].lower() in _NOT_PYTHON and not os.path.isdir(path):
        raise UserError("{!r} is not a Python script: name a .py file".format(path))
    if not os.path.isfile(path):  # a pipe can be read once
        return
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise UserError("{!r} can't be read: {}".format(path, error.strerror)) from error
    if b"PK\3\4" in head:
        raise UserError("{!r} is an archive: unpack it, and name the script".format(path))
    if b"\0" in head and not allows_null_bytes:
        raise UserError("{!r} is not a script: it has null bytes, as programs, data and UTF-16 text have".format(path))
