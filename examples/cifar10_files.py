"""CIFAR-10's binary files: finds them, or generates files of the same format without a download.

    DIR/cifar-10-batches-bin/data_batch_1.bin ... data_batch_5.bin, test_batch.bin    10,000 records each
    a record, 3,073 bytes: the label (0 to 9), then 1,024 red, 1,024 green and 1,024 blue values, row by row
"""
import os
import shutil
import sys
from typing import Any, List, NamedTuple

import numpy as np

from legacy_towers.errors import InputError

FOLDER = "cifar-10-batches-bin"  # the folder in the archive
ARCHIVE = "cifar-10-binary.tar.gz"
SIDE = 32
RECORD_BYTES = 1 + 3 * SIDE * SIDE
RECORDS_PER_FILE = 10000
TRAIN_NAMES = ["data_batch_{}.bin".format(number) for number in range(1, 6)]
TEST_NAME = "test_batch.bin"
# The shapes in the generated images, in the order of their labels.
SHAPES = (
    "lying stripes", "standing stripes", "slanting stripes", "checkerboard", "disc", "ring", "square", "frame", "cross",
    "triangle",
)  # fmt: skip


class Files(NamedTuple):
    """The paths of the training files and of the test file."""

    train: List[str]
    test: str


def find_files(data_dir: str, generate: bool = False) -> Files:
    """Returns the files in `data_dir`. Existing files are never overwritten.

    Args:
      data_dir: the folder that holds the folder cifar-10-batches-bin.
      generate: whether to generate files if there are none.

    Raises:
      InputError: files are missing, or the size of one differs from CIFAR-10's; the message names it and what to do.
    """
    folder = os.path.join(data_dir, FOLDER)
    paths = [os.path.join(folder, name) for name in TRAIN_NAMES + [TEST_NAME]]
    existing = [path for path in paths if os.path.exists(path)]
    if generate and existing:
        _log("{} has files already: --generate does not change them".format(folder))
    elif generate:
        generate_files(data_dir)
    elif not existing:
        raise InputError(
            "there are no CIFAR-10 files in {}: download the binary version, {}, from the CIFAR-10 web page and "
            "extract it in {} (tar -xzf {} -C {}), or add --generate for generated images in files of the same "
            "format and size".format(folder, ARCHIVE, data_dir, ARCHIVE, data_dir)
        )
    _check(paths)
    return Files(paths[:-1], paths[-1])


def generate_files(data_dir: str) -> None:
    """Writes the six files with generated images, the same ones each time, either all of them or none.

    Raises:
      InputError: the files can't be written.
    """
    folder = os.path.join(data_dir, FOLDER)
    _log("generating {} x {:,} images in {}".format(len(TRAIN_NAMES) + 1, RECORDS_PER_FILE, folder))
    unfinished = "{}.{}.part".format(folder, os.getpid())
    try:
        os.makedirs(unfinished)
        for number, name in enumerate(TRAIN_NAMES + [TEST_NAME]):
            generate_records(RECORDS_PER_FILE, seed=number).tofile(os.path.join(unfinished, name))
        # The names of the classes, as in the archive: they show that these images are generated.
        with open(os.path.join(unfinished, "batches.meta.txt"), "w") as meta:
            meta.write("".join("generated {}\n".format(shape) for shape in SHAPES))
        os.rename(unfinished, folder)
    except OSError as error:
        raise InputError("the images can't be written to {}: {}".format(folder, error)) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def generate_records(count: int, seed: int) -> np.ndarray:
    """Returns `count` records, uint8 [count, 3073]: noisy shapes in random colours. The label is the shape.

    Only integers and numpy's legacy generator are used, so that the bytes are the same with all versions.
    """
    random = np.random.RandomState(seed)
    labels = random.permutation(np.arange(count) % len(SHAPES))
    records = np.empty([count, RECORD_BYTES], np.uint8)
    records[:, 0] = labels
    for start in range(0, count, 1000):  # small enough for the processor's cache
        part = slice(start, min(start + 1000, count))
        records[part, 1:] = _images(labels[part], random).reshape([-1, RECORD_BYTES - 1])
    return records


def _images(labels: np.ndarray, random: Any) -> np.ndarray:
    """Returns images, uint8 [count, 3, 32, 32]: a shape on a darker background, with noise."""
    count = len(labels)
    ground = random.randint(32, 144, [count, 3, 1, 1]).astype(np.int16)
    contrast = random.randint(0, 112, [count, 3, 1, 1]).astype(np.int16)
    noise = np.frombuffer(random.bytes(count * 3 * SIDE * SIDE), np.uint8).reshape([count, 3, SIDE, SIDE])
    images = ground + contrast * _masks(labels, random)[:, np.newaxis] + (noise >> 1).astype(np.int16) - 64
    return np.clip(images, 0, 255).astype(np.uint8)


def _masks(labels: np.ndarray, random: Any) -> np.ndarray:
    """Returns int16 [count, 32, 32]: 1 in the shape, 0 outside. Position and size are random for each image."""
    count = len(labels)
    masks = np.empty([count, SIDE, SIDE], np.int16)
    y, x = np.meshgrid(np.arange(SIDE), np.arange(SIDE), indexing="ij")
    centres = random.randint(12, 21, [2, count, 1, 1])
    sizes = random.randint(5, 11, [count, 1, 1])
    for label in range(len(SHAPES)):
        rows = np.flatnonzero(labels == label)
        masks[rows] = _mask(label, y - centres[0, rows], x - centres[1, rows], sizes[rows])
    return masks


def _mask(label: int, dy: np.ndarray, dx: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Returns whether points at the distances (dy, dx) from the centre are in the shape; sizes are in pixels."""
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
            "{} is missing among the files of CIFAR-10: extract {} again, or remove the other files of the "
            "folder".format(missing[0], ARCHIVE)
        )
    for path in paths:
        size = os.path.getsize(path)
        if size != expected:
            raise InputError(
                "{} has {:,} bytes, but a file of CIFAR-10 has {:,} ({:,} records of {:,}): it is truncated or "
                "another file; extract {} again, or remove it".format(
                    path, size, expected, RECORDS_PER_FILE, RECORD_BYTES, ARCHIVE
                )
            )


def _log(text: str) -> None:
    print(text, file=sys.stderr)
