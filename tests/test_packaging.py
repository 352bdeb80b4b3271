"""What is shipped, what the files beside the code contain, and which syntax and imports the code has."""
import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

import legacy_towers

try:
    from importlib import metadata
except ImportError:  # Python 3.7
    import importlib_metadata as metadata

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGES = ("legacy_towers", "compat")
OLDEST_PYTHON = (3, 7)


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def read(*path):
    with open(os.path.join(CHECKOUT, *path), encoding="utf-8") as source:
        return source.read()


def python_files(*folders):
    """Returns the paths below `folders` that end in .py, relative to the checkout."""
    found = []
    for folder in folders:
        for directory, _, names in os.walk(os.path.join(CHECKOUT, folder)):
            paths = (os.path.join(directory, name) for name in names if name.endswith(".py"))
            found += [os.path.relpath(path, CHECKOUT) for path in paths]
    return sorted(found)


def module_of(path):
    """Returns the dotted name below legacy_towers: `compat/tf1/tree.py` is `compat.tf1.tree`, the package is ''."""
    parts = path[: -len(".py")].split(os.sep)
    if parts[0] == "legacy_towers":
        del parts[0]
    if parts[-1] == "__init__":
        del parts[-1]
    return ".".join(parts)


MODULES = {module_of(path): path for path in python_files(*PACKAGES)}


def imported_modules(source):
    """Yields (line, dotted name) for each import in `source`, those inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module


def test_only_compat_imports_tensorflow():
    found = []
    for path in python_files("legacy_towers"):
        for line, name in imported_modules(read(path)):
            if name.split(".")[0] in ("tensorflow", "tf_keras", "keras"):
                found.append("{}:{}: {}".format(path, line, name))
    assert found == []


@pytest.mark.skipif(sys.version_info < (3, 9), reason="this Python can't tell older syntax from its own")
def test_no_syntax_newer_than_the_oldest_python():
    with pytest.raises(SyntaxError):
        ast.parse("if (n := 1): pass", feature_version=OLDEST_PYTHON)
    for path in python_files("legacy_towers", "compat", "examples", "tests") + ["setup.py"]:
        if path.startswith(os.path.join("tests", "scripts")):  # unchanged scripts, one of them for Python 2
            continue
        ast.parse(read(path), path, feature_version=OLDEST_PYTHON)


def shipped_texts():
    """Yields (path, text) for each file that git tracks or would, or for all of an unpacked source distribution."""
    try:
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=CHECKOUT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        paths = [path for path in listed.stdout.decode().split("\0") if path]
    except (OSError, subprocess.CalledProcessError):
        paths = python_files(*PACKAGES + ("examples", "tests")) + ["setup.py", "README.md", "tox.ini"]
    for path in paths:
        if os.path.isfile(os.path.join(CHECKOUT, path)):
            with open(os.path.join(CHECKOUT, path), "rb") as source:
                yield path, source.read().decode("utf-8", errors="replace")


def test_no_file_names_a_place_on_one_machine():
    # Written in two halves, so that this file passes itself.
    pattern = re.compile(r"(?<![\w.\-/])/(?:ro" r"ot|wo" r"rk|home|Users)/|/tmp/ve" r"nvs")
    assert pattern.search("in /ro" + "ot/x") and not pattern.search("/job:worker/task:0 .venv/bin/root/")
    found = [path for path, text in shipped_texts() if pattern.search(text)]
    assert found == []


def test_ci_runs_the_command_of_the_readme():
    commands = re.findall(r"^ *(python3 -m venv .*)$", read(".ci", "run"), re.MULTILINE)
    assert len(commands) == 1
    assert commands[0] in [line.strip() for line in read("README.md").splitlines()]


def test_the_readme_begins_with_one_line_that_trains():
    (command,) = re.findall(r"^ *python3 -m venv .* (\S+/legacy-towers train .*)$", read("README.md"), re.MULTILINE)
    words = command.split()
    assert os.path.isfile(os.path.join(CHECKOUT, words[words.index("train") + 1]))


def test_the_version_is_said_once():
    assert metadata.version("legacy_towers") == legacy_towers.__version__
    newest = re.search(r"^## (\S+)", read("CHANGELOG.md"), re.MULTILINE)
    assert newest.group(1) == legacy_towers.__version__


def test_the_licence_is_all_there():
    text = read("LICENSE")
    assert "Version 2.0, January 2004" in text
    numbers = re.findall(r"^ {3}(\d)\. ", text, re.MULTILINE)
    assert numbers == list("123456789")
    assert "END OF TERMS AND CONDITIONS" in text and "APPENDIX" in text


@pytest.fixture(scope="module")
def source_copy(tmp_path_factory):
    """A copy of what the distributions are made of: a build leaves files beside its sources."""
    copy = tmp_path_factory.mktemp("source") / "checkout"
    names = PACKAGES + ("docs", "examples", "tests", ".ci", "setup.py", "pyproject.toml", "MANIFEST.in", "README.md")
    names += ("LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "tox.ini", "ruff.toml", "mypy.ini")
    copy.mkdir()
    for name in names:
        path = os.path.join(CHECKOUT, name)
        if os.path.isdir(path):
            shutil.copytree(path, str(copy / name), ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(path, str(copy / name))
    return str(copy)


def build(source, kind):
    """Returns the path of the distribution of `kind` that setuptools makes of `source`."""
    pytest.importorskip("setuptools", minversion="64")
    pytest.importorskip("wheel")
    program = "import setuptools.build_meta as backend; print('made', backend.build_{}('dist'))".format(kind)
    run = [sys.executable, "-c", program]
    made = subprocess.run(run, cwd=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert made.returncode == 0, made.stderr
    return os.path.join(source, "dist", re.search(r"^made (.+)$", made.stdout, re.MULTILINE).group(1))


def templates():
    """Returns the names of the files that the HTML page is made from."""
    folder = "legacy_towers/report/templates"
    found = {"{}/{}".format(folder, name) for name in os.listdir(os.path.join(CHECKOUT, *folder.split("/")))}
    assert {name.rpartition(".")[2] for name in found} == {"html", "css"}
    return found


def package_files():
    """Returns the installed names of all modules, of py.typed, of the page's templates and of the recorded names."""
    names = {"legacy_towers/py.typed", "legacy_towers/compat/py.typed"} | templates()
    recorded = os.listdir(os.path.join(CHECKOUT, "compat", "tf1", "recorded"))
    names |= {"legacy_towers/compat/tf1/recorded/" + name for name in recorded}
    names.add("legacy_towers/compat/tf1/core/boston_house_prices.csv")
    for path in MODULES.values():
        inside = path.replace(os.sep, "/")
        names.add(inside if inside.startswith("legacy_towers/") else "legacy_towers/" + inside)
    return names


@pytest.mark.slow
def test_a_wheel_holds_the_whole_package_and_nothing_else(source_copy):
    with zipfile.ZipFile(build(source_copy, "wheel")) as wheel:
        names = set(wheel.namelist())
        (about,) = [wheel.read(name).decode("utf-8") for name in names if name.endswith(".dist-info/METADATA")]
        (scripts,) = [wheel.read(name).decode("utf-8") for name in names if name.endswith("/entry_points.txt")]
    assert {name for name in names if ".dist-info/" not in name} == package_files()
    assert any(re.search(r"\.dist-info/(licenses/)?LICENSE$", name) for name in names)
    assert "legacy-towers = legacy_towers.cli.main:main" in scripts
    assert "License: Apache-2.0" in about or "License-Expression: Apache-2.0" in about
    # The order of the two bounds depends on the version of setuptools.
    assert set(re.search(r"^Requires-Python: (.*)$", about, re.MULTILINE).group(1).split(",")) == {">=3.7", "<3.14"}
    required = re.findall(r"^Requires-Dist: (.*)$", about, re.MULTILINE)
    always = {re.match(r"[\w-]+", line).group(0) for line in required if "extra ==" not in line}
    assert "tensorflow" not in always
    assert any(line.startswith("tensorflow") and re.search("extra == .tensorflow.", line) for line in required)


@pytest.mark.slow
def test_a_source_distribution_holds_package_examples_and_tests(source_copy):
    with tarfile.open(build(source_copy, "sdist")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert set(path.replace(os.sep, "/") for path in MODULES.values()) <= names
    assert set(path.replace(os.sep, "/") for path in python_files("examples", "tests")) <= names
    assert {"compat/py.typed", "legacy_towers/py.typed", "LICENSE", "README.md", "tox.ini", ".ci/run"} <= names
    assert templates() <= names
    assert {path for path in names if path.startswith("docs/") and path.endswith(".md")} >= {"docs/pages/compare.md"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_compat_is_found_where_the_package_is_installed(source_copy, tmp_path, kind):
    with zipfile.ZipFile(build(source_copy, kind)) as wheel:
        wheel.extractall(str(tmp_path))
    program = (
        "import site, sys; site.addsitedir(sys.argv[1]); import legacy_towers.compat as c, legacy_towers.errors as e; "
        "print(c.__name__); print(c.__file__); print(e.__file__)"
    )
    # -I and -S: neither the working directory nor what is installed beside can help.
    run = [sys.executable, "-I", "-S", "-c", program, str(tmp_path)]
    printed = subprocess.run(run, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    assert printed[0] == "legacy_towers.compat"
    root = source_copy if kind == "editable" else str(tmp_path)
    compat = ("compat",) if kind == "editable" else ("legacy_towers", "compat")
    assert os.path.realpath(printed[1]) == os.path.realpath(os.path.join(root, *compat + ("__init__.py",)))
    assert os.path.realpath(printed[2]) == os.path.realpath(os.path.join(root, "legacy_towers", "errors.py"))
