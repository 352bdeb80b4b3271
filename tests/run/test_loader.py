"""Modules of a script import TensorFlow 1.x; libraries and sys.modules have the installed TensorFlow."""
import os
import sys

import pytest
from processes import output_of
from run import here

from legacy_towers.compat.tf1 import missing, tree

IS_1_15 = tree.is_1_15()
# Every form of import, in a script, in a module of its folder and in a package.
FORMS = '''
import importlib
import importlib.util
import tensorflow
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tensorflow.contrib.staging
import tensorflow.contrib.staging as staging
import tensorflow.python.platform
from importlib import import_module
from tensorflow import flags, contrib
from tensorflow.contrib.staging import StagingArea
from tensorflow.contrib.staging import *
from tensorflow.core.framework import summary_pb2
from tensorflow.python.framework import ops, dtypes
from tensorflow.python.ops import array_ops

assert tensorflow is tf
assert tf.contrib.staging.StagingArea is StagingArea is staging.StagingArea
assert tensorflow.python.platform is not None
assert importlib.import_module("tensorflow") is import_module("tensorflow") is tf
assert import_module("tensorflow.contrib.staging").StagingArea is StagingArea
assert __import__("tensorflow") is tf and __import__("tensorflow.contrib.staging") is tf
assert __import__("tensorflow.contrib", globals(), locals(), ["staging"], 0).staging.StagingArea is StagingArea
assert importlib.util.find_spec("os") is not None and callable(importlib.reload)


def inside():
    import tensorflow as again
    from tensorflow.contrib import staging as inner
    return again is tf and inner.StagingArea is StagingArea


class Holder:
    import tensorflow as held


assert inside() and Holder.held is tf
try:
    import tensorflow.no_such_module
except ImportError:
    missed = True
assert missed
'''


def test_every_form_of_import_gives_the_same_module(tmp_path):
    source = FORMS + "import own_module, package.inner\nassert own_module.tf is package.inner.tf is tf\n"
    names = here.run(tmp_path, source, **{"own_module": FORMS, "package/__init__": "", "package/inner": FORMS})
    assert names["tf"] is tree.module("tensorflow")
    assert sys.modules["tensorflow"] is not names["tf"]
    assert sys.modules["tensorflow"].__name__ == "tensorflow"


def test_concurrent_imports_give_one_module():
    modules = [tree.OldModule("tensorflow", sys.modules["tensorflow"]) for _ in range(2)]
    first = modules[0].contrib
    # A second thread calls __getattr__ although the first one has set the attribute by now.
    assert modules[0].__getattr__("contrib") is first and modules[1].contrib is not first


def test_star_imports_bind_replaced_and_existing_names(tmp_path):
    names = here.run(tmp_path, "from tensorflow.train import *\nfrom tensorflow.contrib.staging import *\n")
    assert names["AdamOptimizer"].__name__ == "AdamOptimizer" and names["StagingArea"].__name__ == "StagingArea"


@pytest.mark.slow
def test_the_module_is_importable_by_its_full_name():
    output = output_of(
        """
        import pickle, importlib
        tf = importlib.import_module("legacy_towers.compat.tf1.importable.tensorflow")
        import legacy_towers.compat.tf1.importable.tensorflow.contrib.staging as staging
        from legacy_towers.compat.tf1 import tree
        assert tree.module("tensorflow") is tf and tf.contrib.staging.StagingArea is staging.StagingArea
        print(repr(tf))
        """
    )
    assert output == "<tensorflow of TensorFlow 1.x>\n"


def test_libraries_import_the_installed_tensorflow(tmp_path):
    library = {"site-packages/library/__init__": "import tensorflow as tf\n"}
    names = here.run(
        tmp_path, "import sys\nsys.path.append('site-packages')\nimport library, os, tensorflow as tf\n", **library
    )
    assert names["library"].tf is sys.modules["tensorflow"]
    assert names["tf"] is not names["library"].tf


def test_modules_on_added_paths_are_rewritten(tmp_path):
    here.write(tmp_path, {"lib/helpers/__init__.py": "import tensorflow as tf\n", "job/empty.py": ""})
    source = "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(os.getcwd()), 'lib'))\nimport helpers\n"
    names = here.run(tmp_path / "job", source)
    assert names["helpers"].tf is tree.module("tensorflow")


@pytest.mark.filterwarnings("ignore:the load_module\\(\\) method is deprecated")
def test_files_loaded_by_path_are_rewritten(tmp_path):
    here.write(tmp_path, {"config.txt.py": "import tensorflow as tf\nname = __name__\n"})
    names = here.run(
        tmp_path,
        "import importlib.util, runpy, imp\n"
        "spec = importlib.util.spec_from_file_location('one', 'config.txt.py')\n"
        "one = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(one)\n"
        "two = runpy.run_path('config.txt.py', run_name='two')\n"
        "three = imp.load_source('three', 'config.txt.py')\n"
        "from importlib import machinery\n"
        "four = machinery.SourceFileLoader('four', 'config.txt.py').load_module()\n"
        "import importlib.machinery\n"
        "five = importlib.machinery.SourceFileLoader('five', 'config.txt.py').load_module()\n",
    )
    for name in ("three", "four", "five"):
        sys.modules.pop(name, None)
    expected = tree.module("tensorflow")
    found = [names["one"].tf, names["two"]["tf"], names["three"].tf, names["four"].tf, names["five"].tf]
    assert all(each is expected for each in found)
    assert (names["one"].name, names["two"]["name"], names["three"].name) == ("one", "two", "three")


def test_code_run_by_exec_is_rewritten(tmp_path):
    here.write(tmp_path, {"config.txt": "import tensorflow as third\nfrom tensorflow import flags\n"})
    names = here.run(
        tmp_path,
        "exec('import tensorflow as first')\n"
        "names = {}\n"
        "exec(b'import tensorflow as second', names)\n"
        "exec(compile(open('config.txt').read(), 'config.txt', 'exec'))\n"
        "def local():\n    found = {}\n    exec('import tensorflow as tf; here = fourth', {'fourth': 4}, found)\n"
        "    return found\n"
        "fifth = local()\n"
        "try:\n    exec('import (')\nexcept SyntaxError as error:\n    position = error.filename, error.lineno\n",
    )
    expected = tree.module("tensorflow")
    assert names["first"] is names["names"]["second"] is names["third"] is names["fifth"]["tf"] is expected
    assert names["fifth"]["here"] == 4 and names["position"] == ("<string>", 1)


def test_code_run_by_eval_and_compile_is_rewritten(tmp_path):
    names = here.run(
        tmp_path,
        "import ast\n"
        "first = eval('  __import__(\"tensorflow\")')\n"
        "second = eval(compile('__import__(\"tensorflow\")', '<x>', 'eval'))\n"
        "space = {}\n"
        "eval(compile('import tensorflow as third', '<x>', mode='exec', dont_inherit=True), space)\n"
        "exec(compile(ast.parse('import tensorflow as fourth'), '<x>', 'exec'))\n"
        "exec(compile('import tensorflow as fifth', '<x>', 'single'))\n"
        "exec(bytearray(b'import tensorflow as sixth'))\n"
        "kept = eval('1 + 2'), eval(b'3'), eval(compile('x', '<x>', 'eval'), {'x': 4})\n"
        "from re import *\n"
        "matched = compile('a+').match('aab').group()\n",
    )
    expected = tree.module("tensorflow")
    found = [names["first"], names["second"], names["space"]["third"], names["fourth"], names["fifth"], names["sixth"]]
    assert all(each is expected for each in found)
    assert names["kept"] == (3, 3, 4) and names["matched"] == "aa"


def test_find_spec_finds_importable_modules(tmp_path):
    names = here.run(
        tmp_path,
        "import importlib.util\n"
        "from importlib.util import find_spec\n"
        "there = [find_spec(name) is not None for name in ('tensorflow', 'tensorflow.contrib.slim', 'own_module')]\n"
        "gone = [importlib.util.find_spec(name) for name in ('tensorflow.no_such', 'no_such')]\n"
        "name = find_spec('tensorflow.contrib').name\n",
        own_module="",
    )
    assert names["there"] == [True] * 3 and names["gone"] == [None] * 2 and names["name"] == "tensorflow.contrib"


def test_source_is_found_and_no_bytecode_is_written(tmp_path):
    names = here.run(
        tmp_path, "import own_module, inspect, linecache\ntext = inspect.getsource(own_module.f)\n",
        own_module="import tensorflow as tf\n\n\ndef f():\n    import tensorflow.nn as nn\n    return nn\n",
    )
    assert names["text"] == "def f():\n    import tensorflow.nn as nn\n    return nn\n"
    assert names["own_module"].f.__code__.co_filename == str(tmp_path / "own_module.py") == names["own_module"].__file__
    assert sorted(os.listdir(str(tmp_path))) == ["own_module.py", "script.py"]


def test_existing_bytecode_is_not_read(tmp_path):
    here.write(tmp_path, {"own_module.py": "import tensorflow as tf\n"})
    import py_compile

    py_compile.compile(str(tmp_path / "own_module.py"))
    assert os.path.isdir(str(tmp_path / "__pycache__"))
    names = here.run(tmp_path, "import own_module\n")
    assert names["own_module"].tf is tree.module("tensorflow")


def test_autograph_converts_functions_of_the_script(tmp_path):
    source = """
import tensorflow as tf

def keep(x):
    if x > 2:
        y = x * 10
    else:
        y = x
    return y

with tf.Graph().as_default():
    dataset = tf.data.Dataset.range(5).map(keep if not IS_1_15 else lambda x: tf.cond(x > 2, lambda: x * 10, lambda: x))
    element = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as session:
        values = [session.run(element) for _ in range(5)]
"""
    assert here.run(tmp_path, source.replace("IS_1_15", str(IS_1_15)))["values"] == [0, 1, 2, 30, 40]


MISSING = {
    "attribute": ("tf.no_such_name", missing.MissingName, "script.py:3: tf.no_such_name is not a name of TensorFlow "),
    "module": ("import tensorflow.no_such_module", missing.MissingModule, "script.py:3: tf.no_such_module is not a na"),
    "from": ("from tensorflow.train import AdmOptimizer", ImportError, "script.py:3: tf.train.AdmOptimizer is not a "),
    "below contrib": ("from tensorflow.contrib.no_part import x", ImportError, "script.py:3: tf.contrib.no_part is no"),
    "spelling": ("tf.train.shufle_batch", missing.MissingName, "did you mean tf.train.shuffle_batch"),
}


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 raises its own errors")
@pytest.mark.parametrize("line, kind, message", list(MISSING.values()), ids=list(MISSING))
def test_a_missing_name_is_reported_with_its_line(tmp_path, line, kind, message):
    with pytest.raises(kind) as caught:
        here.run(tmp_path, "import tensorflow as tf\n\n{}\n".format(line))
    assert message in str(caught.value)


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has it")
@pytest.mark.parametrize(
    "line",
    [
        "tf.contrib.bayesflow.monte_carlo",
        "from tensorflow.contrib.bayesflow import monte_carlo",
        "import tensorflow.contrib.bayesflow.monte_carlo",
        "from tensorflow.contrib import bayesflow; bayesflow.monte_carlo",
    ],
)
def test_an_unsupported_name_is_reported_with_its_reason(tmp_path, line):
    with pytest.raises((missing.MissingName, missing.MissingModule, ImportError)) as caught:
        here.run(tmp_path, "import tensorflow as tf\n{}\n".format(line))
    message = "script.py:2: tf.contrib.bayesflow.monte_carlo was part of TensorFlow 1.15, and is not supported: Tensor"
    assert message in str(caught.value)


def test_an_unsupported_module_may_be_imported(tmp_path):
    source = """
import tensorflow as tf
import tensorflow.contrib.text as text
from tensorflow.contrib import text as contrib_text

same = text is contrib_text, text is tf.contrib.text
"""
    assert here.run(tmp_path, source)["same"] == (True, True)


def test_scripts_may_check_for_missing_names(tmp_path):
    source = """
import tensorflow as tf

found = hasattr(tf, "no_such_name"), getattr(tf, "no_such_name", 7)
try:
    from tensorflow.no_such_module import thing
except ImportError:
    found += ("caught",)
try:
    tf.nn.no_such_name
except AttributeError:
    found += ("caught",)
"""
    assert here.run(tmp_path, source)["found"] == (False, 7, "caught", "caught")


def test_modules_are_pickled_by_name(tmp_path):
    source = "import pickle\nimport tensorflow as tf\nvalues = pickle.loads(pickle.dumps([tf, tf.contrib]))\n"
    names = here.run(tmp_path, source)
    assert names["values"][0] is names["tf"] is tree.module("tensorflow")
    assert names["values"][1] is names["tf"].contrib


@pytest.mark.parametrize("source, expected", [
    ("if x == 0: y = 0\n" + "".join("elif x == {0}: y = {0}\n".format(number) for number in range(1, 1500)), 7),
    ("y = " + " + ".join(["x"] * 1500), 7 * 1500),
], ids=["elifs", "terms"])
def test_deep_syntax_trees_are_compiled(tmp_path, source, expected):
    limit = sys.getrecursionlimit()
    assert here.run(tmp_path, "x = 7\n" + source)["y"] == expected
    assert sys.getrecursionlimit() == limit
