"""Each piece of advice can be followed: its names exist on the TensorFlow that runs, and its packages work there."""
import importlib
import importlib.util
import re

import pytest

from legacy_towers.compat.tf1 import advice, refused_arguments, registry, tree

TEXTS = dict(advice.ADVICE, **registry.reasons())
TEXTS.update({"{}({}=)".format(*key): text for key, (_, text) in refused_arguments.REFUSED.items()})
NAMES = re.compile(r"\b(?:tf|legacy_towers|tensorflow\.python|sklearn|scipy)(?:\.[A-Za-z_]\w*)+")
PACKAGES = re.compile(
    r"pip install (?:--no-deps )?([\w\-]+)|\b(?:the package|package is|became the package) (\w+)\b"
    r"|\b(scikit-learn|xgboost)\b"
)
# Package -> the version that was installed, imported and used with TensorFlow 2.21 on Python 3.11: a model was trained
# by implicit, kfac and xgboost, a file opened by lmdb, a text split by tensorflow_text, a number drawn by
# tensorflow_probability; of the others the classes that take the place of tf.contrib's were looked up.
WORKING = {
    "implicit": "0.7.3",
    "kfac": "0.2.4",
    "lmdb": "3.0.0",
    "scikit-learn": "1.9.1",
    "tensorboard": "2.21.0",
    "tensorflow_constrained_optimization": "0.2",
    "tensorflow_model_optimization": "0.8.1",
    "tensorflow_probability": "0.25.0",
    "tensorflow_text": "2.21.1",
    "xgboost": "3.2.0",
    "ydf": "0.16.1",
}
MODULES = {"scikit-learn": "sklearn"}
# Packages that don't work with TensorFlow 2.21: what names them says so.
ENDED = {
    "TensorFlow I/O": "ended", "TensorFlow Compression": "ended", "TensorFlow Addons": "until",
    "tensorflow_gan": "", "tensorflow-gan": "",
}
needs_2 = pytest.mark.skipif(tree.is_1_15(), reason="the advice is on what TensorFlow 2 lacks")


def is_installed(package):
    return importlib.util.find_spec(package) is not None


def exists(name):
    first, *parts = name.split(".")
    if first in ("sklearn", "scipy") and not is_installed(first):
        return True
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
    packages = {each for text in TEXTS.values() for found in PACKAGES.findall(text) for each in found if each}
    assert packages - set(WORKING) - set(ENDED) == set()
    assert set(WORKING) - packages == set()


@needs_2
@pytest.mark.filterwarnings("ignore")
def test_packages_in_advice_can_be_imported_where_they_are_installed():
    modules = [MODULES.get(package, package) for package in WORKING]
    for module in filter(is_installed, modules):
        importlib.import_module(module)


@needs_2
@pytest.mark.parametrize("package", sorted(ENDED))
def test_packages_that_do_not_work_are_not_recommended(package):
    for name, text in TEXTS.items():
        if package in text:
            assert ENDED[package] and ENDED[package] in text, (name, text)
