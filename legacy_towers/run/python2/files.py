"""open() of Python 2, whose str held bytes and text: both may be written to any file."""
import io
import os
from typing import Any

# Bytes that are not valid UTF-8 are unchanged when they are read and written again.
_ENCODING, _ERRORS = "utf-8", "surrogateescape"


class TextFile(io.TextIOWrapper):
    """A file that was opened without "b"."""

    def write(self, text: Any) -> int:
        return super().write(text.decode(_ENCODING, _ERRORS) if isinstance(text, (bytes, bytearray)) else text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)


class _TakesText:
    def write(self, data: Any) -> int:
        return super().write(data.encode(_ENCODING, _ERRORS) if isinstance(data, str) else data)  # type: ignore

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)


class BinaryWriter(_TakesText, io.BufferedWriter):
    """A file that was opened with "wb" or "ab"."""


class BinaryUpdater(_TakesText, io.BufferedRandom):
    """A file that was opened with "r+b" or a similar mode."""


def open_file(name: Any, mode: str = "r", buffering: int = -1, *arguments: Any, **keywords: Any) -> Any:
    """Opens a file as open() of Python 2 did.

    Raises:
      ValueError: Python 2 has no such mode.
    """
    if arguments or keywords:
        return open(name, mode, buffering, *arguments, **keywords)
    universal = "U" in mode
    mode = mode.replace("U", "")
    mode = mode if mode[:1] in ("r", "w", "a") else "r" + mode
    if mode.strip("b+") not in ("r", "w", "a"):
        raise ValueError("invalid mode: {!r}".format(mode))
    if "b" in mode:
        return _binary(name, mode)
    raw = _binary(name, mode + "b")
    line_buffering = buffering in (0, 1)
    # On Linux Python 2 does not translate "\r\n".
    newline = None if universal or os.name == "nt" else "\n"
    return TextFile(raw, _ENCODING, _ERRORS, newline=newline, line_buffering=line_buffering)


def _binary(name: Any, mode: str) -> Any:
    raw = io.FileIO(name, mode.replace("b", ""))
    if "+" in mode:
        return BinaryUpdater(raw)
    return io.BufferedReader(raw) if mode[0] == "r" else BinaryWriter(raw)


def decode(value: Any, *arguments: Any, **keywords: Any) -> Any:
    """Returns value.decode(...); text is returned unchanged, since str.decode() exists in Python 2 only."""
    if not isinstance(value, str):
        return value.decode(*arguments, **keywords)
    encoding = arguments[0] if arguments else keywords.get("encoding", _ENCODING)
    if encoding in ("hex", "base64", "zlib", "bz2"):
        import codecs

        return codecs.decode(value.encode("latin1"), encoding)
    if encoding in ("string-escape", "string_escape", "unicode-escape", "unicode_escape"):
        return value.encode("latin1", "backslashreplace").decode("unicode_escape")
    return value


def encode(value: Any, *arguments: Any, **keywords: Any) -> Any:
    """Returns value.encode(...); bytes are returned unchanged, since bytes.encode() exists in Python 2 only."""
    encoding = arguments[0] if arguments else keywords.get("encoding", _ENCODING)
    if isinstance(encoding, str) and encoding in ("hex", "base64", "zlib", "bz2") and isinstance(value, (str, bytes)):
        import codecs

        encoded: Any = value.encode(_ENCODING, _ERRORS) if isinstance(value, str) else value
        data = codecs.encode(encoded, encoding)
        return data.decode("ascii") if encoding in ("hex", "base64") else data
    if isinstance(value, bytes):
        return value
    return value.encode(*arguments, **keywords)
