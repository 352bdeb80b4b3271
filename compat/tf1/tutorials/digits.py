"""The four files of MNIST, and files of the same format generated from scikit-learn's digits.

    image file    2051, images, rows, columns: four big-endian 32-bit integers; then one byte per pixel
    label file    2049, labels: two big-endian 32-bit integers; then one byte per label

Each may be gzipped.
"""
import gzip
import os
import struct
from typing import Any, Iterator, NoReturn, Sequence, Tuple

import numpy as np

from legacy_towers.compat.tf1 import user_script
from legacy_towers.errors import InputError, UserError

TRAIN_IMAGES = "train-images-idx3-ubyte.gz"
TRAIN_LABELS = "train-labels-idx1-ubyte.gz"
TEST_IMAGES = "t10k-images-idx3-ubyte.gz"
TEST_LABELS = "t10k-labels-idx1-ubyte.gz"
FILES = (TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS)
IMAGES, LABELS = 2051, 2049
_SIDE = 28
# As in MNIST: scripts rely on these sizes, and the validation set alone has 5,000 images.
_TRAIN, _TEST = 60000, 10000
_OPTION = "--generate-data"


class MissingFiles(UserError, FileNotFoundError):
    """The files that a script reads do not exist."""


def find(directory: str) -> Tuple[str, ...]:
    """Returns the paths of the four files in `directory`, in the order of `FILES`.

    With `legacy-towers run --generate-data` the files are generated if none of them exists.

    Raises:
      MissingFiles: some do not exist.
    """
    paths = [_path(directory, name) for name in FILES]
    run = user_script.running()
    if not all(paths) and run is not None and getattr(run.options, "generate_data", False):
        if any(paths):
            _raise_missing(directory, [name for name, path in zip(FILES, paths) if not path], "")
        generate(directory)
        paths = [_path(directory, name) for name in FILES]
    if not all(paths):
        advice = ", or let `legacy-towers run {}` write files of this format there".format(_OPTION)
        _raise_missing(directory, [name for name, path in zip(FILES, paths) if not path], advice)
    return tuple(paths)


def _raise_missing(directory: str, missing: Sequence[str], advice: str) -> NoReturn:
    what = "none of MNIST's files" if len(missing) == len(FILES) else "no {}".format(" and no ".join(missing))
    raise MissingFiles(
        "{} has {}: put {} and {} there (gzipped or not){}".format(
            os.path.abspath(directory), what, ", ".join(FILES[:-1]), FILES[-1], advice
        )
    )


def _path(directory: str, name: str) -> str:
    """Returns the path of the file in `directory`, gzipped or not; "" if it does not exist."""
    plain = name[: -len(".gz")]
    for each in (name, plain, plain.replace("-idx", ".idx")):
        if os.path.isfile(os.path.join(directory, each)):
            return os.path.join(directory, each)
    return ""


def read(file: Any, magic: int) -> np.ndarray:
    """Returns the contents of a file of images or labels.

    Args:
      file: a file object, open for reading bytes.
      magic: `IMAGES` or `LABELS`.

    Returns:
      A uint8 array, [images, rows, columns, 1] or [labels].

    Raises:
      ValueError: the file has another format, or is truncated.
    """
    name = getattr(file, "name", "the file")
    data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    numbers = 4 if magic == IMAGES else 2
    if len(data) < 4 * numbers:
        raise InputError("{} has only {} bytes: it is truncated, get it again".format(name, len(data)))
    header = struct.unpack(">{}I".format(numbers), data[: 4 * numbers])
    if header[0] != magic:
        raise InputError(
            "Invalid magic number {} in MNIST {} file: {} (expected {})".format(
                header[0], "image" if magic == IMAGES else "label", name, magic
            )
        )
    shape = header[1:] + ((1,) if magic == IMAGES else ())
    length = int(np.prod(shape, dtype=np.int64))
    if len(data) - 4 * numbers < length:
        raise InputError("{} has {} bytes of data, but its header says {}: it is truncated, get it again".format(
            name, len(data) - 4 * numbers, length))
    return np.frombuffer(data, np.uint8, length, 4 * numbers).reshape(shape)


def generate(directory: str) -> None:
    """Writes the four files into `directory`, made from the handwritten digits of scikit-learn.

    scikit-learn's 1,797 images of 8 x 8 pixels are enlarged to 28 x 28, their 17 grey levels scaled to 0..255, and each
    is used many times, shifted by up to three pixels: 60,000 images for training, and 10,000 of other digits for
    testing. The files are the same at every call.

    Raises:
      UserError: scikit-learn is not installed.
    """
    images, labels = _small_digits()
    message = "{}: NOT MNIST, but files of its format generated from scikit-learn's digits, in {}"
    user_script.print_message(message.format(_OPTION, os.path.abspath(directory)))
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
        raise UserError("{} needs the digits of scikit-learn: pip install scikit-learn".format(_OPTION)) from None
    digits = load_digits()
    return digits.images, digits.target


def _each_shifted(digits: int, count: int) -> Tuple[np.ndarray, np.ndarray]:
    """Returns, for each of `count` images, the index of its digit and the number of its shift, 0 to 48."""
    return np.arange(count) % digits, np.arange(count) // digits


def _enlarged(images: np.ndarray, chosen: np.ndarray, shifts: np.ndarray) -> Iterator[np.ndarray]:
    """Yields the images of each shift, uint8 [images, 28, 28]."""
    large = np.kron(np.round(images * (255.0 / 16)).astype(np.uint8), np.ones((1, 3, 3), np.uint8))
    # 24 x 24 pixels with a border of 5; the shift is where the 28 x 28 pixels are cut out.
    bordered = np.pad(large, ((0, 0), (5, 5), (5, 5)), "constant")
    for shift in range(int(shifts.max()) + 1):
        row, column = divmod(shift, 7)
        yield bordered[chosen[shifts == shift], row : row + _SIDE, column : column + _SIDE]


def _write(path: str, header: Tuple[int, ...], data: np.ndarray) -> None:
    # Written under a temporary name, so that an interrupted write leaves no broken file; without a time stamp, so that
    # the file is the same at every call.
    with open(path + ".part", "wb") as raw, gzip.GzipFile("", "wb", 1, raw, mtime=0) as file:
        file.write(struct.pack(">{}I".format(len(header)), *header) + data.tobytes())
    os.replace(path + ".part", path)
