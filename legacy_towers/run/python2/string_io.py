"""StringIO and cStringIO: an in-memory file of bytes or text, by the type of the first data."""
import io
from typing import Any, Iterator


class StringIO:
    """Wraps an io.BytesIO or an io.StringIO, by the type of the initial value or of the first write."""

    def __init__(self, initial: Any = None) -> None:
        self._file: Any = None
        if initial:
            self._file = io.StringIO(initial) if isinstance(initial, str) else io.BytesIO(initial)

    def write(self, data: Any) -> int:
        if self._file is None:
            self._file = io.StringIO() if isinstance(data, str) else io.BytesIO()
        if isinstance(self._file, io.BytesIO) and isinstance(data, str):
            data = data.encode("utf-8", "surrogateescape")
        elif isinstance(self._file, io.StringIO) and not isinstance(data, str):
            # Bytes after text: converts the content to bytes.
            position = self._file.tell()
            self._file = io.BytesIO(self._file.getvalue().encode("utf-8", "surrogateescape"))
            self._file.seek(position)
        return int(self._file.write(data))

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._opened())

    def __next__(self) -> Any:
        return next(self._opened())

    def __enter__(self) -> "StringIO":
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened().close()

    def __getattr__(self, name: str) -> Any:
        if name == "_file":
            raise AttributeError(name)
        return getattr(self._opened(), name)

    def _opened(self) -> Any:
        return self._file if self._file is not None else io.StringIO()
