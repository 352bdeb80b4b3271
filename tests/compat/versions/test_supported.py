"""Which TensorFlow runs, which versions are supported, and the commands that install them."""
import sys

import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.versions import packages, supported


@pytest.mark.parametrize(
    "text, version",
    [("1.15.5", (1, 15, 5)), ("2.21.0rc1", (2, 21, 0)), ("2.22.0-dev2026", (2, 22, 0)), ("2.16", (2, 16, 0))],
)
def test_parse(text, version):
    assert supported.parse(text) == version


def test_parse_raises_a_value_error_without_a_version():
    with pytest.raises(ValueError, match="'unknown' is not a version"):
        supported.parse("unknown")


def test_tensorflow_version_is_the_same_installed_and_loaded(monkeypatch):
    loaded = supported.tensorflow_version()
    assert loaded == supported.parse(tf.__version__)
    monkeypatch.delitem(sys.modules, "tensorflow")
    assert supported.tensorflow_version() == loaded
    assert len(packages.tensorflow_distributions()) == 1


DIST_INFO = {
    "tensorflow_cpu-2.20.1.dist-info": {"METADATA": "Name: tensorflow_cpu\nVersion: 2.20.1\n\nVersion: 9",
                                        "RECORD": "a.py,,\ntensorflow/__init__.py,,\n"},
    "tensorflow-2.20.2.dist-info": {"METADATA": "Name: tensorflow\nVersion: 2.20.2\n", "RECORD": "a.py,,\n"},
    "tf_nightly-2.22.0.dev1.dist-info": {"RECORD": "tensorflow/__init__.py,,\n"},
    "my_build-1.0.dist-info": {"METADATA": "Name: my_build\nVersion: 2.19.3\n", "RECORD": "tensorflow/__init__.py,,\n"},
    "intel_tensorflow-2.18.0-py3.11.egg-info": {"PKG-INFO": "Name: intel-tensorflow\nVersion: 2.18.0\n"},
}


@pytest.mark.parametrize(
    "distributions, version",
    [
        (["tensorflow_cpu-2.20.1.dist-info"], "2.20.1"),
        (["tensorflow-2.20.2.dist-info", "tensorflow_cpu-2.20.1.dist-info"], "2.20.1"),
        (["tf_nightly-2.22.0.dev1.dist-info"], "2.22.0.dev1"),
        (["my_build-1.0.dist-info"], "2.19.3"),
        (["intel_tensorflow-2.18.0-py3.11.egg-info"], "2.18.0"),
        ([], None),
    ],
    ids=["of its own", "the one with the files", "without METADATA", "of another name", "an egg", "none"],
)
def test_the_installed_version_is_that_of_the_distribution_with_the_module(
    distributions, version, tmp_path, monkeypatch
):
    for name in distributions:
        (tmp_path / name).mkdir()
        for file, text in DIST_INFO[name].items():
            (tmp_path / name / file).write_text(text)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert packages.tensorflow_version() == version


@pytest.mark.parametrize(
    "python, command",
    [
        ((3, 6), None),
        ((3, 7), 'pip install "tensorflow==1.15.5" "protobuf<3.21" "numpy<1.19"'),
        ((3, 8), 'pip install "tensorflow==2.13.*"'),
        ((3, 9), 'pip install "tensorflow==2.20.*" "tf_keras==2.20.*"'),
        ((3, 13), 'pip install "tensorflow==2.21.*" "tf_keras==2.21.*"'),
        ((3, 14), None),
    ],
)
def test_install_command_depends_on_the_python_version(python, command):
    assert supported.install_command(python) == command
    assert (command or "no supported version has wheels for Python 3") in supported.missing_problem(python)


@pytest.mark.parametrize("text", ["1.14.0", "2.0.4", "2.12.1"])
def test_unsupported_problem_names_the_supported_versions(text):
    problem = supported.unsupported_problem(supported.parse(text), (3, 8))
    assert problem == (
        'TensorFlow {} is not supported, only 1.15 and 2.13 to 2.21 are: pip install "tensorflow==2.13.*"'.format(text)
    )


@pytest.mark.parametrize("text, untested", [("1.15.0", False), ("2.17.1", False), ("2.22.0", True), ("3.0.0", True)])
def test_untested_warning_is_for_newer_versions_only(text, untested):
    version = supported.parse(text)
    assert supported.unsupported_problem(version, (3, 11)) is None
    assert (supported.untested_warning(version) is not None) == untested
