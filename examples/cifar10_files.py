"""The files of CIFAR-10 in their binary form: where they are looked for, and files of the same form without a download.

    DIR/cifar-10-batches-bin/data_batch_1.bin ... data_batch_5.bin, test_batch.bin    10,000 records each
    a record, 3,073 bytes: the label (0 to 9), then 1,024 reds, 1,024 greens, 1,024 blues, each row by row
"""
import os
import shutil
import sys
from typing import Any, List, NamedTuple

import numpy as np

from legacy_towers.errors import InputError

FOLDER = "cifar-10-batches-bin"  # what the archive unpacks to
ARCHIVE = "cifar-10-binary.tar.gz"
SIDE = 32
RECORD_BYTES = 1 + 3 * SIDE * SIDE
RECORDS_PER_FILE = 10000
TRAIN_NAMES = ["data_batch_{}.bin".format(number) for number in range(1, 6)]
TEST_NAME = "test_batch.bin"
# What the generated images show, in the order of their labels.
SHAPES = (
    "lying stripes", "standing stripes", "slanting stripes", "checkerboard", "disc", "ring", "square", "frame", "cross",
    "triangle",
)  # fmt: skip


class Files(NamedTuple):
    """The paths of the training files and of the test file."""

    train: List[str]
    test: str


def find_files(data_dir: str, generate: bool = False) -> Files:
    """Returns the files in `data_dir`; files that are there are never written over.

    Args:
      data_dir: the folder that holds the folder cifar-10-batches-bin.
      generate: write generated files if there are none.

    Raises:
      InputError: files are missing, or one has another size than CIFAR-10's; the message names it and says what to do.
    """
    folder = os.path.join(data_dir, FOLDER)
    paths = [os.path.join(folder, name) for name in TRAIN_NAMES + [TEST_NAME]]
    there = [path for path in paths if os.path.exists(path)]
    if generate and there:
        _say("{} holds files already: --generate leaves them as they are".format(folder))
    elif generate:
        generate_files(data_dir)
    elif not there:
        raise InputError(
            "there are no CIFAR-10 files in {}: download the binary version, {}, from the CIFAR-10 web page and unpack "
            "it in {} (tar -xzf {} -C {}), or add --generate for generated images in files of the same form and "
            "sizes".format(folder, ARCHIVE, data_dir, ARCHIVE, data_dir)
        )
    _check(paths)
    return Files(paths[:-1], paths[-1])


def generate_files(data_dir: str) -> None:
    """Writes the six files with generated images, the same ones each time; they appear all at once or not at all.

    Raises:
      InputError: they can't be written.
    """
    folder = os.path.join(data_dir, FOLDER)
    _say("generating {} x {:,} images in {}".format(len(TRAIN_NAMES) + 1, RECORDS_PER_FILE, folder))
    unfinished = "{}.{}.part".format(folder, os.getpid())
    try:
        os.makedirs(unfinished)
        for number, name in enumerate(TRAIN_NAMES + [TEST_NAME]):
            generate_records(RECORDS_PER_FILE, seed=number).tofile(os.path.join(unfinished, name))
        # Names of the classes, as in the archive: by them one tells which images these are.
        with open(os.path.join(unfinished, "batches.meta.txt"), "w") as meta:
            meta.write("".join("generated {}\n".format(shape) for shape in SHAPES))
        os.rename(unfinished, folder)
    except OSError as error:
        raise InputError("the images can't be written to {}: {}".format(folder, error)) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def generate_records(count: int, seed: int) -> np.ndarray:
    """Returns `count` records, uint8 [count, 3073]: noisy shapes in any colours; only the shape tells the label.

    Whole numbers only, and numpy's frozen generator: the bytes don't depend on the versions that made them.
    """
    random = np.random.RandomState(seed)
    labels = random.permutation(np.arange(count) % len(SHAPES))
    records = np.empty([count, RECORD_BYTES], np.uint8)
    records[:, 0] = labels
    for start in range(0, count, 1000):  # what is worked on fits the processor's cache
        part = slice(start, min(start + 1000, count))
        records[part, 1:] = _images(labels[part], random).reshape([-1, RECORD_BYTES - 1])
    return records


def _images(labels: np.ndarray, random: Any) -> np.ndarray:
    """Returns images, uint8 [count, 3, 32, 32]: a shape of one colour on a darker one, and noise on both."""
    count = len(labels)
    ground = random.randint(32, 144, [count, 3, 1, 1]).astype(np.int16)
    contrast = random.randint(0, 112, [count, 3, 1, 1]).astype(np.int16)
    noise = np.frombuffer(random.bytes(count * 3 * SIDE * SIDE), np.uint8).reshape([count, 3, SIDE, SIDE])
    images = ground + contrast * _masks(labels, random)[:, np.newaxis] + (noise >> 1).astype(np.int16) - 64
    return np.clip(images, 0, 255).astype(np.uint8)


def _masks(labels: np.ndarray, random: Any) -> np.ndarray:
    """Returns int16 [count, 32, 32]: 1 in the shape, 0 around it. Its place and size are drawn for each image."""
    count = len(labels)
    masks = np.empty([count, SIDE, SIDE], np.int16)
    y, x = np.meshgrid(np.arange(SIDE), np.arange(SIDE), indexing="ij")
    centres = random.randint(12, 21, [2, count, 1, 1])
    sizes = random.randint(5, 11, [count, 1, 1])
    for label in range(len(SHAPES)):
        chosen = np.flatnonzero(labels == label)
        masks[chosen] = _mask(label, y - centres[0, chosen], x - centres[1, chosen], sizes[chosen])
    return masks


def _mask(label: int, dy: np.ndarray, dx: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Returns whether points at distances (dy, dx) from the centre belong to the shape; size is in pixels."""
    width = size // 2
    nearer, farther = np.minimum(abs(dy), abs(dx)), np.maximum(abs(dy), abs(dx))
    round_ = dy * dy + dx * dx
    shapes = {
        "lying stripes": lambda: dy // width % 2 == 0,
        "standing stripes": lambda: dx // width % 2 == 0,
        "slanting stripes": lambda: (dy + dx) // (width + 1) % 2 == 0,
        "checkerboard": lambda: (dy // width + dx // width) % 2 == 0,
        "disc": lambda: round_ <= size * size,
        "ring": lambda: (round_ <= size * size) & (round_ > width * width),
        "square": lambda: farther < size,
        "frame": lambda: (farther < size) & (farther >= width),
        "cross": lambda: (farther < size) & (nearer <= size // 4),
        "triangle": lambda: (2 * abs(dx) <= dy + size) & (dy < size),
    }
    return shapes[SHAPES[label]]()


def _check(paths: List[str]) -> None:
    expected = RECORDS_PER_FILE * RECORD_BYTES
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise InputError(
            "{} is missing, where other files of CIFAR-10 are: unpack {} anew, or remove what is left of the "
            "folder".format(missing[0], ARCHIVE)
        )
    for path in paths:
        size = os.path.getsize(path)
        if size != expected:
            raise InputError(
                "{} has {:,} bytes where a file of CIFAR-10 has {:,} ({:,} records of {:,}): it is cut off or "
                "something else; unpack {} anew, or remove it".format(
                    path, size, expected, RECORDS_PER_FILE, RECORD_BYTES, ARCHIVE
                )
            )


def _say(text: str) -> None:
    print(text, file=sys.stderr)
