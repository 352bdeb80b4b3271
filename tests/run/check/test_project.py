"""The missing APIs of scripts and folders, on the installed TensorFlow."""
import json
import os
import textwrap

import pytest

from legacy_towers.compat.tf1 import tree
from legacy_towers.errors import UserError
from legacy_towers.run.check import command, project

IS_1_15 = tree.is_1_15()


def write(folder, files=(), **named):
    for name, text in list(dict(files).items()) + list(named.items()):
        path = folder / (name + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return folder


def missing(checked):
    return [(each.line, each.status.name) for each in checked.missing]


def test_an_unknown_name_is_missing_at_its_line(tmp_path):
    write(tmp_path, train="""
        import tensorflow as tf
        tf.no_such_name(1)
        tf.nn.relu(1)
        tf.GraphKeys.NO_SUCH_KEY
        tf.app.flags.FLAGS.anything
    """)
    checked = project.check(str(tmp_path / "train.py"))
    assert missing(checked) == [(3, "tensorflow.no_such_name"), (5, "tensorflow.GraphKeys.NO_SUCH_KEY")]


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has it")
def test_an_unsupported_part_of_contrib_is_missing_where_it_is_used(tmp_path):
    write(tmp_path, train="from tensorflow.contrib import text as t, kafka\nt.skip_gram_sample()\n")
    checked = project.check(str(tmp_path / "train.py"))
    assert missing(checked) == [(2, "tensorflow.contrib.text.skip_gram_sample")]


def test_the_script_s_own_modules_are_followed(tmp_path):
    write(
        tmp_path,
        {
            "nets/__init__": "",
            "nets/small": "from . import base\nfrom common import *\ntf.gone_too\nbase.tf.third\n",
            "nets/base": "import tensorflow as tf\n",
        },
        train="import nets.small\nfrom common import layers\nnets.small.build()\nlayers.no_such\n",
        common="import tensorflow as tf\nlayers = tf.layers\n",
    )
    checked = project.check(str(tmp_path / "train.py"))
    assert {name for _, name in missing(checked)} == {
        "tensorflow.layers.no_such", "tensorflow.gone_too", "tensorflow.third"
    }
    assert len(checked.files) == 5


PYTHON_PATH = {
    "a package of the project": ({"own_nets/__init__": "import tensorflow as tf\ntf.gone"}, ["tensorflow.gone"]),
    "a folder without __init__.py": ({"own_nets/cnn": "import tensorflow as tf\ntf.gone"}, ["tensorflow.gone"]),
    "a file": ({"own_nets": "import tensorflow as tf\ntf.gone"}, ["tensorflow.gone"]),
    "a module of a module": (
        {"own_nets/__init__": "", "own_nets/cnn": "import base", "base": "import tensorflow as tf\ntf.gone"},
        ["tensorflow.gone"],
    ),
    "installed by pip install --target": (
        {
            "own_nets/__init__": "import tensorflow as tf\ntf.gone",
            "own_nets/cnn": "",
            "own_nets-1.0.dist-info/RECORD": None,
        },
        [],
    ),
    "a folder named as an installed package": (
        {"own_nets/cnn": "import numpy.random, numpy", "numpy/random": "import tensorflow as tf\ntf.gone"}, [],
    ),
}


@pytest.mark.parametrize("files, names", list(PYTHON_PATH.values()), ids=list(PYTHON_PATH))
def test_modules_in_folders_of_pythonpath_are_followed(tmp_path, monkeypatch, files, names):
    listing = files.get("own_nets-1.0.dist-info/RECORD", "")
    write(tmp_path, {path: text for path, text in files.items() if text is not None})
    if listing is None:
        (tmp_path / "own_nets-1.0.dist-info").mkdir()
        (tmp_path / "own_nets-1.0.dist-info" / "RECORD").write_text("own_nets/cnn.py,,\n")
    write(tmp_path, {"bin/train": "import tensorflow as tf\nimport own_nets.cnn\nfrom own_nets import cnn\ntf.no_such"})
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", str(tmp_path)]))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(str(tmp_path / "bin"))
    assert [name for _, name in missing(project.check("train.py"))] == ["tensorflow.no_such"] + names


def test_modules_that_import_each_other_are_read_once(tmp_path):
    write(tmp_path, one="import two\nimport tensorflow as tf\ntf.gone\n", two="import one\none.tf.nn\n")
    checked = project.check(str(tmp_path / "one.py"))
    assert missing(checked) == [(3, "tensorflow.gone")]


@pytest.mark.parametrize("text, lines", [
    pytest.param("try:\n  tf.gone\nexcept AttributeError:\n  tf.nn", [], id="falls-back"),
    pytest.param("try:\n  tf.gone\nexcept AttributeError:\n  tf.gone_as_well", [5], id="falls-back-to-nothing"),
    pytest.param("try:\n  tf.nn\nexcept AttributeError:\n  tf.gone", [], id="never-falls-back"),
    pytest.param("try:\n  tf.nn\nexcept AttributeError:\n  def f(): return tf.gone", [], id="function-not-defined"),
    pytest.param("try:\n  tf.gone\nexcept AttributeError:\n  def f(): return tf.gone_too", [5], id="function-defined"),
    pytest.param("if hasattr(tf, 'gone'):\n  tf.gone", [], id="asks-first"),
])
def test_fallbacks(tmp_path, text, lines):
    write(tmp_path, train="import tensorflow as tf\n" + text)
    assert [line for line, _ in missing(project.check(str(tmp_path)))] == lines


def test_a_file_with_a_syntax_error_is_not_understood(tmp_path):
    write(tmp_path, train="def (\n")
    checked = project.check(str(tmp_path))
    assert not checked.missing and "it is neither Python 3 nor" in checked.not_understood[0][1].why


@pytest.mark.parametrize("source, line", [
    pytest.param(b"import tensorflow as tf\nprint 'a'\ntf.gone\n", 3, id="statement"),
    pytest.param(b"import tensorflow as tf\ntf.gone  # caf\xe9\n", 2, id="bytes-that-are-no-utf-8"),
    pytest.param(b"import tensorflow as tf\nif tf:\n        x = 1\n\ttf.gone\n", 4, id="tabs-and-blanks"),
])
def test_python_2_is_read_as_run_reads_it(tmp_path, source, line):
    (tmp_path / "train.py").write_bytes(source)
    checked = project.check(str(tmp_path))
    assert missing(checked) == [(line, "tensorflow.gone")] and not checked.not_understood


def test_the_syntax_error_of_a_python_2_file_is_reported_as_python_2_would(tmp_path):
    write(tmp_path, train="print 'a'\nwith = 3\n")
    ((_, place),) = project.check(str(tmp_path)).not_understood
    assert place.line == 2 and place.why == "it is neither Python 3 nor Python 2: unexpected '='"


@pytest.mark.parametrize("source", [b"x = '\0'\n", b"# coding: nothing\n\0"], ids=["null", "unknown-coding"])
def test_a_file_that_is_not_text_is_not_understood(tmp_path, source):
    (tmp_path / "train.py").write_bytes(source)
    ((path, place),) = project.check(str(tmp_path)).not_understood
    assert path == str(tmp_path / "train.py") and "it is neither Python 3 nor" in place.why


def test_a_broken_link_is_not_understood_and_a_folder_named_py_is_skipped(tmp_path):
    (tmp_path / "train.py").mkdir()
    os.symlink(str(tmp_path / "nowhere"), str(tmp_path / "gone.py"))
    ((path, place),) = project.check(str(tmp_path)).not_understood
    assert path == str(tmp_path / "gone.py") and "it can't be read" in place.why


def test_devices_and_pipes_are_not_read(tmp_path):
    os.symlink("/dev/zero", str(tmp_path / "endless.py"))
    os.mkfifo(str(tmp_path / "pipe.py"))
    checked = project.check(str(tmp_path))
    assert [place.why for _, place in checked.not_understood] == ["it can't be read: it is not a regular file"] * 2
    assert len(checked.unread) == 2


@pytest.mark.parametrize("text, missing_lines", [
    ("if x: pass\n" + "".join("elif x == {}: tf.nn\n".format(number) for number in range(1500)) + "tf.gone", [1503]),
    ("x = " + " + ".join(["tf.nn.relu"] * 1500) + "\ntf.gone", [3]),
    ("x = " + "-" * 100000 + "1", []),
], ids=["elifs", "terms", "too-deep"])
def test_deep_syntax_trees_are_read_or_not_understood(tmp_path, text, missing_lines):
    write(tmp_path, train="import tensorflow as tf\n" + text)
    checked = project.check(str(tmp_path / "train.py"))
    assert [line for line, _ in missing(checked)] == missing_lines
    assert bool(checked.unread) == (not missing_lines)


@pytest.mark.parametrize("line", [
    "from tensorflow.contrib.framework.python.ops import arg_scope",
    "from tensorflow.contrib.learn.python.learn.datasets import base",
    "from tensorflow.examples.tutorials.mnist import input_data",
    "import tensorflow.contrib.slim.nets as nets",
])
def test_modules_that_are_not_attributes_of_their_parents_exist(tmp_path, line):
    (tmp_path / "train.py").write_text(line + "\n", encoding="utf-8")
    checked = project.check(str(tmp_path / "train.py"))
    assert checked.missing == []
    if IS_1_15:  # TensorFlow itself has them
        assert checked.findings == []


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has tf.contrib itself")
def test_json_names_the_package_that_provides_a_removed_name(tmp_path, capsys):
    path = write(tmp_path, train="import tensorflow as tf\ntf.contrib.staging.StagingArea\n")
    assert command.run(str(path), as_json=True) == 0
    printed = json.loads(capsys.readouterr().out)
    (name,) = printed["names"]
    assert name["name"] == "tensorflow.contrib.staging.StagingArea" and name["provided_by"] == "tensorflow"


def test_the_exit_code_is_1_if_a_name_is_missing(tmp_path, capsys):
    path = write(tmp_path, train="import tensorflow as tf\ntf.gone\n")
    assert command.run(str(path), as_json=False) == 1
    printed = capsys.readouterr().out
    assert "train.py:2:1: missing: tf.gone" in printed and "1 name is missing" in printed


@pytest.mark.parametrize("content", [b"def (\n", b"x = 1\0", "import tensorflow".encode("utf-16")])
def test_an_unread_file_makes_the_result_incomplete(tmp_path, capsys, content):
    write(tmp_path, well="import tensorflow as tf\ntf.nn\n")
    (tmp_path / "train.py").write_bytes(content)
    assert command.run(str(tmp_path / "train.py"), as_json=False) == 1
    printed = capsys.readouterr().out
    assert "0 files read, 1 could not be read, so the result is incomplete: 1 place not understood" in printed
    assert "train.py:1: not understood: it is neither Python 3 nor" in printed and "no name is" not in printed
    assert command.run(str(tmp_path), as_json=False) == 1
    assert "1 file read, 1 could not be read, so the result is incomplete:" in capsys.readouterr().out
    assert command.run(str(tmp_path), as_json=True) == 1
    assert json.loads(capsys.readouterr().out)["unread"] == [str(tmp_path / "train.py")]


def test_names_that_every_module_has_are_not_reported_as_removed(tmp_path):
    lines = ["tf.__name__", "tf.contrib.slim.__file__", "tf.__version__", "tf.nn.__x__"]
    write(tmp_path, train="\n".join(["import tensorflow as tf"] + lines))
    checked = project.check(str(tmp_path / "train.py"))
    assert checked.missing == []
    assert [each.status.name for each in checked.findings] == ([] if IS_1_15 else ["tensorflow.contrib.slim"])


PACKAGE = {
    "package/__init__": "raise SystemExit('this was imported')\nimport tensorflow as tf\ntf.gone_around\n",
    "package/plain/__init__": "",
    "package/plain/one": "from package.main import other\nimport tensorflow as tf\ntf.gone_one\n",
    "package/main/__init__": "import tensorflow as tf\ntf.gone_init\n",
    "package/main/__main__": "from package.main import used\nimport tensorflow as tf\ntf.gone_main\n",
    "package/main/used": "from .. import tf\ntf.gone_used\n",
    "package/main/other": "from package import tf\ntf.gone_other\n",
}


@pytest.mark.parametrize("name, expected", [
    ("package.main", "around init main used"),
    ("package.main.used", "around init used"),
    ("package.plain", "around init one other"),  # it has no __main__
    ("package", "around init main other one used"),
])
def test_check_of_a_module_does_not_import_it(tmp_path, monkeypatch, capsys, name, expected):
    write(tmp_path, PACKAGE)
    monkeypatch.chdir(tmp_path)
    checked = project.check_module(name)
    found = {each.status.name[len("tensorflow.gone_") :] for each in checked.missing}
    assert sorted(found) == sorted(expected.split()) and "package/__init__.py" in checked.files
    assert command.run("-m" + name, as_json=False) == 1


def test_a_package_may_have_no_init(tmp_path, monkeypatch):
    write(tmp_path, {"space/inner/one": "import tensorflow as tf\nfrom space.inner import two\ntf.gone_one\n",
                     "space/inner/two": "import tensorflow as tf\ntf.gone_two\n"})
    monkeypatch.chdir(tmp_path)
    for name in ("space.inner.one", "space.inner", "space"):
        checked = project.check_module(name)
        assert checked.files == ["space/inner/one.py", "space/inner/two.py"]
        assert [line for line, _ in missing(checked)] == [3, 2]


@pytest.mark.parametrize("name, message", [
    ("", "-m needs the name of a module"), ("package.no", "there is no module 'package.no'"),
    ("train.py", "did you mean the script, without -m"), (".train", "there is no module '.train'"),
    ("sys", "there is no module 'sys'"),
])
def test_an_unknown_module_is_a_user_error(tmp_path, monkeypatch, name, message):
    write(tmp_path, PACKAGE, train="")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=message):
        command.run("-m" + name, as_json=False)


@pytest.mark.parametrize("name, content, message", [
    pytest.param("train.ipynb", b"{}", "is a notebook", id="notebook"),
    pytest.param("train.pyc", b"", "is compiled bytecode", id="bytecode"),
    pytest.param("train.py", b"PK\3\4\0", "is an archive", id="archive"),
])
def test_a_file_that_is_not_a_script_is_a_user_error(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message):
        project.check(str(tmp_path / name))


@pytest.mark.parametrize("name, message", [("nothing", "there is no file or folder"), ("", "has no .py file")])
def test_a_path_without_python_files_is_a_user_error(tmp_path, name, message):
    with pytest.raises(UserError, match=message):
        project.check(str(tmp_path / name))


@pytest.mark.needs_layers
@pytest.mark.skipif(IS_1_15, reason="there the keras that is installed stays")
def test_names_of_standalone_keras_are_supported_or_missing(tmp_path):
    write(tmp_path, train="""
        import keras
        from keras.layers.convolutional import Conv2D
        from keras.layers import Dense, Nonsense
        from keras.models import *
        from keras import backend as K
        Sequential().add(keras.layers.core.Dense(1))
        K.set_session(K.tf.Session())
        K.no_such_name(1)
    """)
    checked = project.check(str(tmp_path / "train.py"))
    assert missing(checked) == [(4, "keras.layers.Nonsense"), (9, "keras.backend.no_such_name")]
    supported = [each for each in checked.findings if each.status.missing is None]
    assert [(each.line, each.status.name) for each in supported] == [(line, "keras") for line in range(2, 7)]
    assert {each.status.provided_by for each in supported} <= {"tf_keras", "keras"}


@pytest.mark.needs_layers
def test_a_module_named_keras_in_the_folder_is_the_script_s_own(tmp_path):
    write(tmp_path, keras="layers = None", train="import keras\nkeras.layers.Nonsense\n")
    assert project.check(str(tmp_path / "train.py")).findings == []
