"""The position that a caller's iterator reports: recorded with each item as it is read, and checked when it is loaded.

    items            a    b    c    d    e    f
    state before     s0   s1   s2   s3   s4   s5
    used by steps    ------------
    read ahead                     ------
    saved            {"state": s2, "checksums": [c, d], ...}
    a new session    loads s2, reads c and d and compares them with the checksums; c was used, and is left out

What was read ahead is not part of the position. Items that are shuffled after they were read are read from the
beginning of their epoch: what is saved is then the state before its first item.
"""
import collections
import json
import threading
import zlib
from typing import Any, Callable, Deque, Dict, Generator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.errors import InputError

METHODS = ("state_dict", "load_state_dict")


class Read(NamedTuple):
    """What is recorded of an item.

    Attributes:
      used: the number of examples (or batches) before it, over all epochs.
      size: the number of examples (or batches) in it.
      epoch: its epoch, from 0.
      item: its number in the epoch, from 0.
      state: the JSON text of the iterator's state before it; "" if reading can't begin here.
      checksum: of its values.
    """

    used: int
    size: int
    epoch: int
    item: int
    state: str
    checksum: int


class _Session:
    """What the reader of a session has read, as far as it is not used yet."""

    def __init__(self, saved: Optional[Dict[str, Any]], used: int, drops_used: bool) -> None:
        self.saved = saved
        self.origin = used
        self.drop_until = used if drops_used and saved is not None else 0
        self.total = 0 if saved is None else int(saved["used"])
        self.read: Deque[Read] = collections.deque()


class ItemLog:
    """Reads the items of a caller's iterators, and knows the state with which any number of used examples is reached.

    The iterator that `make_iterator` returns, or the object over which it iterates, has two methods: `state_dict()`
    returns the state before its next item, of plain values that JSON has, and `load_state_dict(state)` goes there.

    Attributes:
      error: the error of the current session that ended reading; None without one.
    """

    def __init__(
        self, name: str, option: str, whole_epochs: bool = False, numbered: str = "example {:,} of epoch {:,}"
    ) -> None:
        """
        Args:
          name: of the iterators, for errors.
          option: that asks for the methods, such as "from_generator(..., resumable=True)".
          whole_epochs: whether reading always begins at the beginning of an epoch.
          numbered: what an item is called by its number and that of its epoch, in errors.
        """
        self._name = name
        self._numbered = numbered
        self._option = option
        self._whole_epochs = whole_epochs
        self.error: Optional[InputError] = None
        self._lock = threading.Lock()
        self._session = _Session(None, 0, False)

    @property
    def whole_epochs(self) -> bool:
        """Whether reading always begins at the beginning of an epoch."""
        return self._whole_epochs

    @property
    def total(self) -> int:
        """The number of examples that were read or, in earlier sessions, used."""
        return self._session.total

    def begin(self, saved: Optional[Dict[str, Any]], used: int) -> None:
        """Begins a session.

        Args:
          saved: what `saved` returned; None: reading begins at the beginning of the first epoch.
          used: the number of examples that were used before the session.
        """
        with self._lock:
            self._session = _Session(saved, used, drops_used=not self._whole_epochs)
            self.error = None

    def use(self, number: int) -> None:
        """Forgets what is not needed when `number` examples have been used."""
        with self._lock:
            self._forget(number)

    def saved(self, number: int) -> Tuple[int, Optional[Dict[str, Any]]]:
        """Returns the position behind the first `number` examples, as plain values.

        Returns:
          The number of examples without copies that filled the last step; and the position, None at the beginning.
        """
        with self._lock:
            session = self._session
            if number == session.origin or not session.read:
                return number, session.saved
            self._forget(number)
            first = session.read[0]
            following = [each.checksum for each in list(session.read)[:2] if each.epoch == first.epoch]
            return min(number, session.total), {
                "epoch": first.epoch, "item": first.item, "used": first.used, "state": json.loads(first.state),
                "checksums": following,
            }

    def items(
        self,
        make_iterator: Callable[[], Any],
        epoch: int,
        converted: Callable[[int, Any], Tuple[Any, Sequence[np.ndarray], int]],
    ) -> Generator[Tuple[int, Any, int], None, None]:
        """Yields the items of an epoch.

        Args:
          converted: returns for the number of an item and the item: what is yielded for it, the arrays that it
            consists of, and how many examples it has.

        Yields:
          The number of the item in the epoch, what `converted` returned, and how many of its first examples were used
          in earlier sessions.

        Raises:
          InputError: the iterators lack a method, their state is not plain, or they go on with other items.
        """
        session = self._session
        try:
            yield from self._items(session, make_iterator, epoch, converted)
        except InputError as error:
            if session is self._session:
                self.error = error
            raise

    def _items(
        self, session: _Session, make_iterator: Callable[[], Any], epoch: int, converted: Callable[[int, Any], Any]
    ) -> Generator[Tuple[int, Any, int], None, None]:
        saved = session.saved if session.saved is not None and session.saved["epoch"] == epoch else None
        source = _Source(make_iterator(), self._name, self._option, saved)
        number, expected = (0, []) if saved is None else (int(saved["item"]), list(saved["checksums"]))
        try:
            while session is self._session:  # the thread of an earlier session may be still running
                can_begin = number == 0 or not self._whole_epochs
                state = source.state() if can_begin else ""
                try:
                    item = next(source.iterator)
                except StopIteration:
                    if expected:
                        raise self._differs("does not yield", "as", number, epoch) from None
                    return
                value, arrays, size = converted(number, item)
                del item
                is_checked = number < 2 or not self._whole_epochs
                checksum = checksum_of(arrays) if is_checked else 0
                del arrays
                if expected and expected.pop(0) != checksum:
                    raise self._differs("yields another", "than", number, epoch)
                used = self._add(session, Read(session.total, size, epoch, number, state, checksum), is_checked)
                if used < size:
                    yield number, value, used
                del value
                number += 1
        finally:
            source.close()

    def _add(self, session: _Session, read: Read, is_kept: bool) -> int:
        """Records an item; returns how many of its examples were used before the session."""
        with self._lock:
            if is_kept:
                session.read.append(read)
            session.total += read.size
            return min(max(session.drop_until - read.used, 0), read.size)

    def _forget(self, number: int) -> None:
        """Forgets what was read before the place where reading begins again after `number` examples."""
        read = self._session.read
        while True:
            later = next((index for index in range(1, len(read)) if read[index].state), None)
            # In order, reading begins with an item that was used.
            if later is None or read[later].used >= number + self._whole_epochs:
                return
            for _ in range(later):
                read.popleft()

    def _differs(self, what: str, as_or_than: str, number: int, epoch: int) -> InputError:
        return InputError(
            "{} {} {} {} before the checkpoint, so the run can't go on exactly: its load_state_dict(state) must go to "
            "where state_dict() returned that state, and the data must not have changed (numbers begin at 1)".format(
                self._name, what, self._numbered.format(number + 1, epoch + 1), as_or_than
            )
        )


class _Source:
    """An iterator of the caller, and what has its state: the iterator, or what it iterates over."""

    def __init__(self, made: Any, name: str, option: str, saved: Optional[Dict[str, Any]]) -> None:
        self._name = name
        self._is_plain = False
        self._owner = made if _has_methods(made) else iter(made)
        if not _has_methods(self._owner):
            raise InputError(
                "{} returns a {} without {}: {} needs both, of the iterator or of the object that it iterates "
                "over".format(name, type(made).__name__, " and ".join(
                    each + "()" for each in METHODS if not callable(getattr(self._owner, each, None))
                ), option)
            )
        if saved is not None:
            self._owner.load_state_dict(saved["state"])
        self.iterator = iter(self._owner)

    def state(self) -> str:
        """Returns the JSON text of the state before the next item."""
        state = self._owner.state_dict()
        try:
            if not self._is_plain:
                _check_keys(state)
                self._is_plain = True
            return json.dumps(state)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(
                "state_dict() of {} returns what JSON can't hold ({}): use numbers, strings, lists, and dicts with "
                "strings as keys; of an array, array.tolist()".format(self._name, error)
            ) from error

    def close(self) -> None:
        """Closes an iterator that can be closed."""
        close = getattr(self.iterator, "close", None)
        if close is not None:
            close()


def _has_methods(made: Any) -> bool:
    return all(callable(getattr(made, each, None)) for each in METHODS)


def _check_keys(state: Any) -> None:
    """Raises TypeError for a dict with other keys than strings, which JSON would make strings."""
    if isinstance(state, dict):
        for key, value in state.items():
            if not isinstance(key, str):
                raise TypeError("the key {!r} is not a string".format(key))
            _check_keys(value)
    elif isinstance(state, (list, tuple)):
        for value in state:
            _check_keys(value)


def checksum_of(arrays: Sequence[Any]) -> int:
    """Returns the CRC-32 of the dtypes, shapes and values of arrays."""
    checksum = 0
    for value in arrays:
        array = np.asarray(value)
        checksum = zlib.crc32("{}{}".format(array.dtype.str, array.shape).encode("ascii"), checksum)
        if array.dtype.hasobject:
            for each in array.ravel().tolist():
                content = each if isinstance(each, bytes) else str(each).encode("utf-8")
                checksum = zlib.crc32(content, zlib.crc32(b"%d:" % len(content), checksum))
        else:
            checksum = zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, checksum)
    return checksum


def check_saved(saved: Any) -> None:
    """Raises ValueError, KeyError or TypeError if a value is not what `ItemLog.saved` returns."""
    if not isinstance(saved, dict):
        raise TypeError("the position of the iterator is {!r:.40}".format(saved))
    counts: List[Any] = [saved[name] for name in ("epoch", "item", "used")] + list(saved["checksums"])
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 2 ** 62:
            raise ValueError("the position of the iterator has {!r:.40}".format(count))
    saved["state"]
