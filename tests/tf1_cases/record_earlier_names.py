"""Records the public names of TensorFlow 1.4 to 1.14 that 1.15 does not have, into the file that `earlier_names` reads.

    python tests/tf1_cases/record_names.py recordings              with each of TensorFlow 1.4, 1.8, 1.12, 1.13 and 1.14
    python tests/tf1_cases/record_earlier_names.py recordings compat/tf1/recorded          then, with any Python

It writes `earlier_names.txt`, a line for each module and the versions that had its names, the first and the last one:

    tensorflow.contrib.gan 1.8-1.14: CLIP_WEIGHTS cyclegan_model ...
"""
import collections
import os
import sys
from typing import Dict, List, Tuple

from legacy_towers.compat.tf1 import known_names
from legacy_towers.compat.tf1.earlier_names import FILE, VERSIONS

# Modules whose names are not those of the API; tensorflow.examples is read by the view of the tutorials.
_NOT_API = ("tensorflow.python", "tensorflow.core", "tensorflow.compiler", "tensorflow.tools", "tensorflow.compat",
            "tensorflow.examples", "tensorflow.raw_ops", "tensorflow.pywrap_tensorflow")
# What 1.14 has in the module by mistake.
_LEFTOVERS = ("tensorflow.s", "tensorflow.plugin_dir")


def versions_of_names(folder: str) -> Dict[str, List[str]]:
    """Returns dotted name -> the versions that had it, in their order, without the names of 1.15."""
    found: Dict[str, List[str]] = collections.defaultdict(list)
    for version in VERSIONS:
        recording = known_names.Recording(version, folder)
        for module in recording.modules():
            if module.startswith(_NOT_API):
                continue
            names = {"{}.{}".format(module, name) for name in recording.public_names(module)}
            # An alias of a module that is not public has no line of its own.
            names.add(module)
            for name in names:
                if not known_names.is_name_of_1_15(name) and name not in _LEFTOVERS:
                    found[name].append(version)
    return found


def main(folder: str, out: str) -> None:
    lines: Dict[Tuple[str, str], List[str]] = collections.defaultdict(list)
    for name, versions in versions_of_names(folder).items():
        module, _, last = name.rpartition(".")
        lines[module, "{}-{}".format(versions[0], versions[-1])].append(last)
    with open(os.path.join(out, os.path.basename(FILE)), "w", encoding="utf-8") as file:
        for (module, versions), names in sorted(lines.items()):
            file.write("{} {}: {}\n".format(module, versions, " ".join(sorted(names))))


if __name__ == "__main__":
    main(*sys.argv[1:])
