"""Whose a file is, and where a script is."""
import os
import sysconfig

import pytest

from legacy_towers.oldtf import current


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


OWNED = {
    "the script": ("/mine/job/train.py", True),
    "a package of it": ("/mine/job/models/data/net.py", True),
    "beside the folder": ("/mine/lib/net.py", True),
    "elsewhere": ("/data/shared/net.py", True),
    "installed": ("/usr/lib/python3/site-packages/net.py", False),
    "installed by a distribution": ("/usr/lib/python3/dist-packages/net/net.py", False),
    "an environment inside the folder": ("/mine/job/.venv/lib/python3.9/site-packages/net.py", False),
    "a folder that is only called so": ("/mine/job/site-packages.py", True),
    "python's": (os.path.join(sysconfig.get_paths()["stdlib"], "json", "decoder.py"), False),
    "ours": (current.__file__, False),
    "a string": ("<string>", False),
    "autograph's": ("/somewhere/__autograph_generated_filex.py", False),
}


@pytest.mark.parametrize("path, owned", list(OWNED.values()), ids=list(OWNED))
def test_whose_a_file_is(path, owned):
    assert current.ScriptRun("train.py", "/mine/job").owns(path) is owned


def test_a_script_below_site_packages_owns_its_folder():
    run = current.ScriptRun("train.py", "/lib/site-packages/job")
    assert run.owns("/lib/site-packages/job/net.py") and not run.owns("/lib/site-packages/net.py")
    run.add_root("/lib/site-packages/other")
    assert run.owns("/lib/site-packages/other/net.py") and not run.owns("/lib/site-packages/net.py")


def test_paths_are_shown_as_they_are_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(str(tmp_path))
    run = current.ScriptRun("train.py", str(tmp_path))
    monkeypatch.chdir("/")
    assert run.shown(str(tmp_path / "models" / "net.py")) == os.path.join("models", "net.py")
    assert run.shown("/elsewhere/net.py") == "/elsewhere/net.py" and run.shown("train.py") == "train.py"


def test_a_name_is_said_once_for_each_line(tmp_path, capsys):
    path = str(tmp_path / "train.py")
    run = current.ScriptRun("train.py", str(tmp_path))
    code = compile("for _ in range(3): say('tf.mul', 'tf.multiply')\nsay('tf.mul', 'tf.multiply')\n", path, "exec")
    current.begin(run)
    try:
        exec(code, {"say": current.say_once})
    finally:
        current.end()
    lines = ["legacy-towers: {}:{}: tf.mul: taken for tf.multiply".format(path, line) for line in (1, 2)]
    assert capsys.readouterr().err.splitlines() == lines
    assert [notice.place.line for notice in run.notices] == [1, 2]
    assert current.running() is None


def test_without_a_run_it_is_a_warning():
    with pytest.warns(UserWarning, match="tf.mul: taken for tf.multiply") as caught:
        current.say_once("tf.mul", "tf.multiply")
    assert caught[0].filename == __file__
