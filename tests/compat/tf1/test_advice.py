"""Each piece of advice can be followed: its names exist on the TensorFlow that runs, and its packages work there."""
import importlib
import re

import pytest

from legacy_towers.compat.tf1 import advice, refused_arguments, registry, tree

TEXTS = dict(advice.ADVICE, **registry.reasons())
TEXTS.update({"{}({}=)".format(*key): text for key, (_, text) in refused_arguments.REFUSED.items()})
NAMES = re.compile(r"\b(?:tf|legacy_towers|tensorflow\.python)(?:\.[A-Za-z_]\w*)+")
PACKAGES = re.compile(r"pip install ([\w\-]+)|\b(?:the package|package is|became the package) (\w+)\b")
# Packages that were installed and imported, and whose compiled parts were loaded, with TensorFlow 2.21.
WORKING = {
    "implicit", "kfac", "lmdb", "tensorboard", "tensorflow_constrained_optimization", "tensorflow_model_optimization",
    "tensorflow_probability", "tensorflow_text", "ydf",
}
# Packages that don't work with TensorFlow 2.21: what names them says so.
ENDED = {
    "TensorFlow I/O": "ended", "TensorFlow Compression": "ended", "TensorFlow Addons": "until",
    "tensorflow_gan": "", "tensorflow-gan": "",
}
needs_2 = pytest.mark.skipif(tree.is_1_15(), reason="the advice is on what TensorFlow 2 lacks")


def exists(name):
    first, *parts = name.split(".")
    value = tree.module("tensorflow") if first == "tf" else importlib.import_module(first)
    for length, part in enumerate(parts, 1):
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError):
            module = ".".join([first] + parts[:length])
            try:
                value = tree.module("tensorflow" + module[2:]) if first == "tf" else importlib.import_module(module)
            except ImportError:
                return False
    return True


@needs_2
@pytest.mark.needs_layers
@pytest.mark.filterwarnings("ignore")
def test_names_in_advice_exist():
    named = {(name, found) for name, text in TEXTS.items() for found in NAMES.findall(text)}
    assert len(named) > 60
    assert sorted((name, found) for name, found in named if not exists(found)) == []


@needs_2
def test_packages_in_advice_work():
    packages = {one or other for text in TEXTS.values() for one, other in PACKAGES.findall(text)}
    assert packages - WORKING - set(ENDED) == set()
    assert len(packages & WORKING) > 6


@needs_2
@pytest.mark.parametrize("package", sorted(ENDED))
def test_packages_that_do_not_work_are_not_recommended(package):
    for name, text in TEXTS.items():
        if package in text:
            assert ENDED[package] and ENDED[package] in text, (name, text)
