"""Records the ops that this TensorFlow registers: python tests/graph/record_ops.py

It replaces the entries of this version in registered_ops.txt, next to this file, and keeps those of the other one.
Recorded are 1.15, with the op libraries that tf.contrib loads, and 2.21.
"""
import glob
import os

from legacy_towers.compat import tf
from legacy_towers.compat.versions.op_registry import registered_ops

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "registered_ops.txt")
HEADER = "# Written by record_ops.py: op type, versions that register it, whether it is stateful, whether it has seeds."
VERSIONS = ("1.15", "1.15-contrib", "2.21")


def read():
    """Returns op type -> its entries."""
    if not os.path.exists(PATH):
        return {}
    with open(PATH, encoding="utf-8") as source:
        rows = [line.split() for line in source if not line.startswith("#")]
    return {row[0]: row[1:] for row in rows}


def facts_of(op):
    """Returns the properties of an op: "stateful", "seeded"."""
    seeded = any("seed" in attribute.name and attribute.type == "int" for attribute in op.attr)
    return ["stateful"] * op.is_stateful + ["seeded"] * seeded


def main():
    version = ".".join(tf.__version__.split(".")[:2])
    found = {version: registered_ops()}
    if version == "1.15":
        import tensorflow_core

        pattern = os.path.join(os.path.dirname(tensorflow_core.__file__), "contrib", "**", "*.so")
        for path in glob.glob(pattern, recursive=True):
            if not os.path.basename(path).startswith("lib"):  # it has no ops
                tf.load_op_library(path)
        found["1.15-contrib"] = {name: op for name, op in registered_ops().items() if name not in found["1.15"]}
    rows = {name: [word for word in words if word not in found] for name, words in read().items()}
    for version, ops in found.items():
        for name, op in ops.items():
            words = rows.setdefault(name, [])
            words += [word for word in [version] + facts_of(op) if word not in words]
    order = VERSIONS + ("stateful", "seeded")
    lines = [
        " ".join([name] + sorted(words, key=order.index)) + "\n"
        for name, words in sorted(rows.items()) if set(words) & set(VERSIONS)
    ]
    with open(PATH, "w", encoding="utf-8") as target:
        target.write(HEADER + "\n" + "".join(lines))


if __name__ == "__main__":
    main()
