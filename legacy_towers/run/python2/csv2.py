"""csv of Python 2, which reads and writes files that are opened in binary mode."""
import csv
import io
from typing import Any, List


def reader(lines: Any, *arguments: Any, **keywords: Any) -> Any:
    return csv.reader(_text(lines), *arguments, **keywords)


def writer(file: Any, *arguments: Any, **keywords: Any) -> Any:
    return csv.writer(file, *arguments, **keywords)


class DictReader(csv.DictReader):
    def __init__(self, lines: Any, *arguments: Any, **keywords: Any) -> None:
        super().__init__(_text(lines), *arguments, **keywords)


def _text(lines: Any) -> Any:
    """Returns the lines of a binary file as text; a text file is returned unchanged."""
    if isinstance(lines, io.TextIOBase):
        return lines
    return (line.decode("utf-8", "surrogateescape") if isinstance(line, bytes) else line for line in lines)


def __getattr__(name: str) -> Any:
    return getattr(csv, name)


def __dir__() -> List[str]:
    return dir(csv)
