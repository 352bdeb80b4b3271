"""The manifest of a checkpoint: its global step, and size and CRC-32 of each of its files.

    model.ckpt-500.data-00000-of-00001    the values            (TensorFlow's)
    model.ckpt-500.index                  names, shapes, CRCs   (TensorFlow's)
    model.ckpt-500.meta                   the graph             (TensorFlow's)
    model.ckpt-500.input                  the position of the input, where there is one
    model.ckpt-500.manifest               sizes and CRC-32 of these, and of itself
"""
import os
from typing import Dict, NamedTuple

from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.sealed import seal, unseal

SUFFIX = ".manifest"
_FORMAT = 1


class Manifest(NamedTuple):
    """What a checkpoint consists of.

    Attributes:
      step: the global step.
      files: name of a file in the directory of the checkpoint -> its size and checksum.
    """

    step: int
    files: Dict[str, files.Content]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(content.size for content in self.files.values())

    def problem(self, directory: str) -> str:
        """Returns how the files of a directory differ from the manifest, in a clause; "" if they do not."""
        for name in sorted(self.files):
            path = os.path.join(directory, name)
            if not files.exists(path):
                return "{} is missing".format(path)
            if files.leads_outside(path):
                return "{} is a symbolic link to another directory".format(path)
            expected, found = self.files[name], files.content_of(path)
            if found.size != expected.size:
                return "{} has {:,} bytes, {:,} were written".format(path, found.size, expected.size)
            if found.crc32 != expected.crc32:
                return "{} was changed after it was written (its checksum does not match)".format(path)
        return ""

    def as_bytes(self) -> bytes:
        """Returns the content of the file."""
        return seal({
            "format": _FORMAT,
            "step": self.step,
            "files": {
                name: {"bytes": content.size, "crc32": "{:08x}".format(content.crc32)}
                for name, content in self.files.items()
            },
        })


def read_manifest(prefix: str) -> Manifest:
    """Reads the manifest of a checkpoint.

    Raises:
      ValueError: it is damaged, or names a file that is not one of this checkpoint.
    """
    values = unseal(files.read(prefix + SUFFIX))
    if values.get("format") != _FORMAT:
        raise ValueError("it has format {!r}, this version reads {}".format(values.get("format"), _FORMAT))
    name = os.path.basename(prefix)
    found = {}
    for each, content in values["files"].items():
        if os.path.basename(each) != each or not each.startswith(name + "."):
            raise ValueError("it names {!r}, which is not a file of {}".format(each, name))
        found[each] = files.Content(int(content["bytes"]), int(content["crc32"], 16))
    if name + ".index" not in found:
        raise ValueError("it does not name {}.index".format(name))
    return Manifest(int(values["step"]), found)


def manifest_of(directory: str, names: Dict[str, str], step: int) -> Manifest:
    """Returns the manifest of files in a directory: name in it -> name that the file will have."""
    return Manifest(step, {
        final: files.content_of(os.path.join(directory, name)) for name, final in sorted(names.items())
    })
