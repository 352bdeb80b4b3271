"""Examples from lines of text, and from the lines of CSV files."""
import csv
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import files as files_
from legacy_towers.data.records import RecordFiles
from legacy_towers.data.tfrecord_files import Part
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.tensor_types import Dataset

CSV_DTYPES = ("float32", "float64", "int32", "int64", "string")


class TextLines(RecordFiles):
    """Text files with a record per line, without the first `skip_lines` lines of each file."""

    kind = "text"
    position_name = "line"

    def __init__(
        self, files: files_.Files, parse: Callable[[Any], Any], count: Optional[int], skip_lines: int
    ) -> None:
        if isinstance(skip_lines, bool) or not isinstance(skip_lines, int) or skip_lines < 0:
            raise ArgumentError("skip_lines must be a whole number of at least 0, got {!r}".format(skip_lines))
        super().__init__(files, parse, count)
        self._skip = skip_lines
        if skip_lines and not any(self._has_records(path) for path in self._paths):
            raise InputError("no file has a line after the first {}, which skip_lines leaves out: {}".format(
                skip_lines, files_.name_some(self._paths)
            ))

    def _has_records(self, path: str) -> bool:
        return any(True for _ in files_.lines(path, self._skip))

    def _file_dataset(self, path: Any) -> Dataset:
        return tf.data.TextLineDataset(path, buffer_size=self._read_buffer).skip(self._skip)

    def _file_dataset_with_ids(self, first_id: Any, path: Any) -> Dataset:
        return super()._file_dataset_with_ids(first_id + self._skip + 1, path)

    def _reader(self) -> Any:
        return tf.TextLineReader(skip_header_lines=self._skip)

    def _count_file(self, path: str) -> int:
        return max(0, files_.count_lines(path) - self._skip)

    def _positions(self, path: str) -> Iterator[int]:
        return (number for number, _ in files_.lines(path, self._skip))

    def _parts(self, path: str) -> Iterator[Part]:
        return (Part(number, line) for number, line in files_.lines(path, self._skip))


class CsvLines(TextLines):
    """CSV files; an example is a dict of scalar tensors, one per column."""

    kind = "CSV"

    def __init__(
        self, files: files_.Files, columns: Dict[str, Any], header: bool, delimiter: str, count: Optional[int]
    ) -> None:
        if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
            raise ArgumentError(
                "delimiter must be one character, neither a quote nor a line break, got {!r}".format(delimiter)
            )
        self._columns = {name: _default_of(name, default) for name, default in dict(columns).items()}
        if not self._columns:
            raise ArgumentError("columns must name at least one column")
        self._delimiter = delimiter
        self._names: List[str] = []
        super().__init__(files, self._decode, count, skip_lines=1 if header else 0)
        self._names = self._read_header() if header else list(self._columns)
        for path in self._paths:
            for number, line in files_.lines(path, self._skip):
                self._check_line(path, number, line)
                break  # one line shows another format; `count` and `ids` check the others

    def _read_header(self) -> List[str]:
        """Returns the column names in the first line of each file, which must agree and include the wanted columns."""
        first: List[str] = []
        first_path = ""
        for path in self._paths:
            for _, line in files_.lines(path, 0):
                names = self._fields(line.decode("utf-8-sig"))
                missing = [name for name in self._columns if name not in names]
                if missing:
                    raise InputError("{} has no column {!r}: the columns in its first line are {}".format(
                        path, missing[0], ", ".join(map(repr, names))
                    ))
                if first and names != first:
                    raise InputError("{} has other columns than {}: the columns in its first line are {}".format(
                        path, first_path, ", ".join(map(repr, names))
                    ))
                first, first_path = names, path
                break
        return first

    def _check_line(self, path: str, number: int, line: bytes) -> None:
        if b'"' in line:
            found = len(self._fields(line.decode("latin-1")))
        else:
            found = line.count(self._delimiter.encode()) + 1 if line else 0
        if found != len(self._names):
            raise InputError(
                "{}, line {} has {} fields, not {} ({}); the delimiter is {!r}, and a quoted field can't contain a "
                "line break".format(
                    path, number, found, len(self._names), ", ".join(self._names[:8]) +
                    (", ..." if len(self._names) > 8 else ""), self._delimiter
                )
            )

    def _fields(self, line: str) -> List[str]:
        return next(csv.reader([line], delimiter=self._delimiter), [])

    def _count_file(self, path: str) -> int:
        return sum(1 for _ in self._positions(path))

    def _positions(self, path: str) -> Iterator[int]:
        for number, line in files_.lines(path, self._skip):
            self._check_line(path, number, line)
            yield number

    def _decode(self, line: Any) -> Any:
        wanted = sorted(self._columns, key=self._names.index)
        defaults = [self._columns[name] for name in wanted]
        defaults = [tf.constant([] if value is None else [value], dtype) for value, dtype in defaults]
        indices = None if len(wanted) == len(self._names) else [self._names.index(name) for name in wanted]
        values = tf.io.decode_csv(line, defaults, field_delim=self._delimiter, select_cols=indices)
        by_name = dict(zip(wanted, values))
        return {name: by_name[name] for name in self._columns}


def _default_of(name: str, default: Any) -> Any:
    """Returns (default value, dtype) of a column; the value is None for a column whose fields must not be empty."""
    python_types = {float: tf.float32, int: tf.int32, str: tf.string, bytes: tf.string}
    value, dtype = default, python_types.get(type(default))
    if isinstance(default, np.generic):
        dtype = tf.as_dtype(default.dtype)
    elif isinstance(default, (tf.DType, type)):
        value, dtype = None, python_types.get(default) or tf.as_dtype(default)
    if dtype is None or dtype.name not in CSV_DTYPES:
        raise ArgumentError(
            "column {!r} has the default {!r}: give a number or a string or, if no field is empty, one of the dtypes "
            "{}".format(name, default, ", ".join("tf." + dtype for dtype in CSV_DTYPES))
        )
    return value, dtype
