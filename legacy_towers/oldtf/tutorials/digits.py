"""The four files of MNIST: where they are, and files of that format from scikit-learn's digits.

An image file is four big-endian 32-bit numbers (2051, images, rows, columns), then a byte per pixel; a label file two
(2049, labels), then a byte per label. Both gzipped, or not.
"""
import gzip
import os
import struct
from typing import Any, Iterator, NoReturn, Sequence, Tuple

import numpy as np

from legacy_towers.errors import InputError, UserError
from legacy_towers.oldtf import current

TRAIN_IMAGES = "train-images-idx3-ubyte.gz"
TRAIN_LABELS = "train-labels-idx1-ubyte.gz"
TEST_IMAGES = "t10k-images-idx3-ubyte.gz"
TEST_LABELS = "t10k-labels-idx1-ubyte.gz"
FILES = (TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS)
IMAGES, LABELS = 2051, 2049
_SIDE = 28
# As many as MNIST has: scripts count on it, and the validation set alone takes 5,000.
_TRAIN, _TEST = 60000, 10000
_OPTION = "--generate-data"


class MissingFiles(UserError, FileNotFoundError):
    """The files that a script reads are not there."""


def find(directory: str) -> Tuple[str, ...]:
    """Returns the paths of the four files in `directory`, in the order of `FILES`; generates them where that is on.

    Raises:
      MissingFiles: some are not there.
    """
    paths = [_there(directory, name) for name in FILES]
    run = current.running()
    if not all(paths) and run is not None and getattr(run.options, "generate_data", False):
        if any(paths):
            _refuse(directory, [name for name, path in zip(FILES, paths) if not path], "")
        generate(directory)
        paths = [_there(directory, name) for name in FILES]
    if not all(paths):
        advice = ", or let `legacy-towers run {}` write files of this format there".format(_OPTION)
        _refuse(directory, [name for name, path in zip(FILES, paths) if not path], advice)
    return tuple(paths)


def _refuse(directory: str, missing: Sequence[str], advice: str) -> NoReturn:
    what = "none of MNIST's files" if len(missing) == len(FILES) else "no {}".format(" and no ".join(missing))
    raise MissingFiles(
        "{} has {}: put {} and {} there (gzipped or not){}".format(
            os.path.abspath(directory), what, ", ".join(FILES[:-1]), FILES[-1], advice
        )
    )


def _there(directory: str, name: str) -> str:
    plain = name[: -len(".gz")]
    for each in (name, plain, plain.replace("-idx", ".idx")):
        if os.path.isfile(os.path.join(directory, each)):
            return os.path.join(directory, each)
    return ""


def read(file: Any, magic: int) -> np.ndarray:
    """Returns what is in `file`, open to read bytes: [images, rows, columns, 1] or [labels], of uint8.

    Args:
      magic: `IMAGES` or `LABELS`.

    Raises:
      ValueError: it is no such file; or it is cut short.
    """
    name = getattr(file, "name", "the file")
    data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    numbers = 4 if magic == IMAGES else 2
    if len(data) < 4 * numbers:
        raise InputError("{} has {} bytes: it is cut short".format(name, len(data)))
    header = struct.unpack(">{}I".format(numbers), data[: 4 * numbers])
    if header[0] != magic:
        raise InputError(
            "Invalid magic number {} in MNIST {} file: {}: {} is expected".format(
                header[0], "image" if magic == IMAGES else "label", name, magic
            )
        )
    shape = header[1:] + ((1,) if magic == IMAGES else ())
    length = int(np.prod(shape, dtype=np.int64))
    if len(data) - 4 * numbers < length:
        raise InputError("{} has {} bytes of data, and its header says {}: it is cut short".format(
            name, len(data) - 4 * numbers, length))
    return np.frombuffer(data, np.uint8, length, 4 * numbers).reshape(shape)


def generate(directory: str) -> None:
    """Writes the four files into `directory`, from the real handwritten digits that ship with scikit-learn.

    Its 1,797 digits of 8 x 8 pixels are enlarged to 28 x 28, their 17 shades to 0..255, and each is used many times,
    shifted by up to three pixels: 60,000 to train with and 10,000 to test, of different digits. Always the same files.

    Raises:
      UserError: scikit-learn is missing.
    """
    images, labels = _small_digits()
    current.say("{}: NOT MNIST, but files of its format, generated from scikit-learn's digits into {}".format(
        _OPTION, os.path.abspath(directory)
    ))
    order = np.random.RandomState(0).permutation(len(images))
    os.makedirs(directory, exist_ok=True)
    train, test = order[:1500], order[1500:]
    for digits, count, names in (
        (train, _TRAIN, (TRAIN_IMAGES, TRAIN_LABELS)),
        (test, _TEST, (TEST_IMAGES, TEST_LABELS)),
    ):
        chosen, shifts = _each_shifted(len(digits), count)
        made = np.concatenate(list(_enlarged(images[digits], chosen, shifts)))
        shuffled = np.random.RandomState(1).permutation(count)
        _write(os.path.join(directory, names[0]), (IMAGES, count, _SIDE, _SIDE), made[shuffled])
        _write(os.path.join(directory, names[1]), (LABELS, count), labels[digits][chosen][shuffled].astype(np.uint8))


def _small_digits() -> Tuple[np.ndarray, np.ndarray]:
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise UserError("{} takes the digits from scikit-learn: pip install scikit-learn".format(_OPTION)) from None
    digits = load_digits()
    return digits.images, digits.target


def _each_shifted(digits: int, count: int) -> Tuple[np.ndarray, np.ndarray]:
    """Returns for each of `count` pictures which digit it is of, and the number of its shift, 0 to 48."""
    return np.arange(count) % digits, np.arange(count) // digits


def _enlarged(images: np.ndarray, chosen: np.ndarray, shifts: np.ndarray) -> Iterator[np.ndarray]:
    """Yields the pictures of each shift, [pictures, 28, 28] of uint8."""
    large = np.kron(np.round(images * (255.0 / 16)).astype(np.uint8), np.ones((1, 3, 3), np.uint8))
    # 24 x 24, with a border from which 28 x 28 are cut: the digit is in its middle at (5, 5).
    bordered = np.pad(large, ((0, 0), (5, 5), (5, 5)), "constant")
    for shift in range(int(shifts.max()) + 1):
        row, column = divmod(shift, 7)
        yield bordered[chosen[shifts == shift], row : row + _SIDE, column : column + _SIDE]


def _write(path: str, header: Tuple[int, ...], data: np.ndarray) -> None:
    # A name of its own until it is whole; and no time in it, so that the file is always the same.
    with open(path + ".part", "wb") as raw, gzip.GzipFile("", "wb", 1, raw, mtime=0) as file:
        file.write(struct.pack(">{}I".format(len(header)), *header) + data.tobytes())
    os.replace(path + ".part", path)
