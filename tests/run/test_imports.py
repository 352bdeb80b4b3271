"""Import statements in every form are redirected and bind the same names."""
import ast

import pytest

from legacy_towers.run.imports import Imports


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests need no TensorFlow."""


def rewritten(source):
    return Imports({"tensorflow": "a.tree"}, {"importlib": "a.view"}, "a.dynamic").visit(ast.parse(source))


HERE = "__import__('a.dynamic', None, None, ('{0}',)).{0}"
CHANGED = {
    "plain": ("import tensorflow", "import a.tree as tensorflow"),
    "with a name": ("import tensorflow as tf", "import a.tree as tf"),
    "module with a name": ("import tensorflow.contrib.slim as slim", "import a.tree.contrib.slim as slim"),
    "module binds the root": (
        "import tensorflow.contrib",
        "import a.tree.contrib as tensorflow\nimport a.tree as tensorflow",
    ),
    "several": ("import os, tensorflow as tf, sys", "import os\nimport a.tree as tf\nimport sys"),
    "from": ("from tensorflow import flags, app as a", "from a.tree import flags, app as a"),
    "from a module": ("from tensorflow.contrib import slim", "from a.tree.contrib import slim"),
    "star": ("from tensorflow.contrib.layers import *", "from a.tree.contrib.layers import *"),
    "compat": ("import tensorflow.compat.v1 as tf", "import a.tree.compat.v1 as tf"),
    "in a function": ("def f():\n    import tensorflow as tf", "def f():\n    import a.tree as tf"),
    "in a try": (
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    from tensorflow import keras",
        "try:\n    import a.tree as tf\nexcept ImportError:\n    from a.tree import keras",
    ),
    "in a class": ("class A:\n    from tensorflow import nn", "class A:\n    from a.tree import nn"),
    "in an if": ("if x: import tensorflow as tf", "if x: import a.tree as tf"),
    "view": ("import importlib", "import a.view as importlib"),
    "from a view": ("from importlib import import_module as m", "from a.view import import_module as m"),
    "below a view": ("import importlib.abc", "import importlib.abc as importlib\nimport a.view as importlib"),
    "__import__": (
        "x = __import__('tensorflow')",
        "x = {}('tensorflow')".format(HERE.format("import_name")),
    ),
    "exec": ("exec(text, names)", "exec({}(text), names)".format(HERE.format("code"))),
    "eval": ("x = eval(text)", "x = eval({}(text))".format(HERE.format("expression"))),
    "compile": ("compile(text, path, mode)", "{}(compile)(text, path, mode)".format(HERE.format("compiler"))),
    "mock.patch": ("with mock.patch('tensorflow.stack', f): pass", "with mock.patch('a.tree.stack', f): pass"),
    "patch": ("@patch('tensorflow.gfile.Open')\ndef f(x): pass", "@patch('a.tree.gfile.Open')\ndef f(x): pass"),
    "patch.dict": ("mock.patch.dict('tensorflow.x', y=1)", "mock.patch.dict('a.tree.x', y=1)"),
    "monkeypatch": ("monkeypatch.setattr('tensorflow.x', 1)", "monkeypatch.setattr('a.tree.x', 1)"),
    "compile by names": ("compile(source=text, **x)", "{}(compile)(source=text, **x)".format(HERE.format("compiler"))),
}
UNCHANGED = {
    "relative": "from . import tensorflow",
    "relative module": "from .tensorflow import x",
    "two dots": "from .. import tensorflow",
    "another name": "import tensorflow_probability as tfp",
    "another top": "from keras import tensorflow",
    "below another view": "from importlib.abc import Loader",
    "other modules": "import os.path, sys as system",
    "a string": "x = 'import tensorflow'",
    "an attribute": "tensorflow.python.x",
    "an own __import__": "__import__ = 3",
    "an own exec": "def exec(x): pass\nexec(text)",
    "an own compile": "from re import compile\ncompile(text, path, 'exec')",
    "a patch of another module": "mock.patch('os.path.exists', f)",
    "a patch below a view": "mock.patch('importlib.reload')",
    "a patch of an object": "mock.patch.object(tensorflow, 'get_variable', f)",
    "another setattr": "setattr('tensorflow.x', 1)",
    "a method": "model.compile('adam', 'mse', 'exec')",
    "starred": "exec(*arguments)",
}


@pytest.mark.parametrize("before, after", list(CHANGED.values()), ids=list(CHANGED))
def test_imports_are_redirected(before, after):
    assert ast.dump(rewritten(before)) == ast.dump(ast.parse(after))


@pytest.mark.parametrize("source", list(UNCHANGED.values()), ids=list(UNCHANGED))
def test_other_code_is_unchanged(source):
    assert ast.dump(rewritten(source)) == ast.dump(ast.parse(source))


def test_line_and_column_numbers_are_kept():
    source = "x = 1\nif x:\n    import tensorflow.nn\n    import os, tensorflow as tf; y = __import__('tensorflow')\n"
    tree = rewritten(source)
    compile(tree, "x.py", "exec")
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.Name)):
            assert hasattr(node, "lineno") and hasattr(node, "col_offset")
    positions = [(node.lineno, node.col_offset) for node in tree.body[1].body]
    assert positions == [(3, 4), (3, 4), (4, 4), (4, 4), (4, 33)]
