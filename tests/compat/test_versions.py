"""What runs, what is supported, and what to type."""
import sys

import pytest

from legacy_towers.compat import packages, tf, versions


@pytest.mark.parametrize(
    "text, version",
    [("1.15.5", (1, 15, 5)), ("2.21.0rc1", (2, 21, 0)), ("2.22.0-dev2026", (2, 22, 0)), ("2.16", (2, 16, 0))],
)
def test_parse(text, version):
    assert versions.parse(text) == version


def test_parse_refuses_what_is_no_version():
    with pytest.raises(ValueError, match="'unknown' is no version"):
        versions.parse("unknown")


def test_installed_and_loaded_agree(monkeypatch):
    loaded = versions.tensorflow_version()
    assert loaded == versions.parse(tf.__version__)
    monkeypatch.delitem(sys.modules, "tensorflow")
    assert versions.tensorflow_version() == loaded
    assert len(packages.tensorflow_distributions()) == 1


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
def test_the_command_depends_on_the_python(python, command):
    assert versions.install_command(python) == command
    assert (command or "no supported one exists for Python 3") in versions.missing_problem(python)


@pytest.mark.parametrize("text", ["1.14.0", "2.0.4", "2.12.1"])
def test_unsupported(text):
    problem = versions.unsupported_problem(versions.parse(text), (3, 8))
    assert problem == (
        'TensorFlow {} is not supported, only 1.15 and 2.13 to 2.21 are: pip install "tensorflow==2.13.*"'.format(text)
    )


@pytest.mark.parametrize("text, untried", [("1.15.0", False), ("2.17.1", False), ("2.22.0", True), ("3.0.0", True)])
def test_supported_or_newer(text, untried):
    version = versions.parse(text)
    assert versions.unsupported_problem(version, (3, 11)) is None
    assert (versions.untried_warning(version) is not None) == untried
