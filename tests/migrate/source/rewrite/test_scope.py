import libcst as cst
import pytest

from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import Source


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


@pytest.mark.parametrize("lines, is_list", [
    pytest.param("files = ['a', 'b']", True, id="list"),
    pytest.param("files = [name + '.csv' for name in names]", True, id="comprehension"),
    pytest.param("files = []\nfor name in names:\n    files.append(name)", True, id="appended"),
    pytest.param("files = []\nfiles += read()", True, id="list that is extended"),
    pytest.param("files = glob.glob('*.csv')", True, id="glob"),
    pytest.param("files = tf.io.gfile.glob('*.csv')", True, id="gfile"),
    pytest.param("files = sorted(names)", True, id="sorted"),
    pytest.param("files = os.listdir('data')", True, id="listdir"),
    pytest.param("files = list(names)", True, id="list of"),
    pytest.param("files = glob.glob('*.csv')\nfiles = sorted(files)", True, id="assigned twice"),
    pytest.param("files = glob.glob('*.csv')\nfiles = files[:10]", True, id="assigned to itself"),
    pytest.param("if training:\n    files = ['a']\nelse:\n    files = ['b']", True, id="branches"),
    pytest.param("files = ['a'] if training else glob.glob('*.csv')", True, id="conditional expression"),
    pytest.param("more = ['a']\nfiles = more + ['b']", True, id="sum of lists"),
    pytest.param("files = ['a'] * 2", True, id="multiple"),
    pytest.param("files = read()", False, id="function"),
    pytest.param("files = tf.constant(['a', 'b'])", False, id="tensor"),
    pytest.param("files = ['a'] + names", False, id="sum with what may be a tensor"),
    pytest.param("files = ['a']\nfiles = tf.constant(files)", False, id="list, then tensor"),
    pytest.param("files = ['a'] if training else tf.constant(['a'])", False, id="list or tensor"),
    pytest.param("files = read()\nfiles += ['a']", False, id="what may be a tensor, added to"),
    pytest.param("files = pathlib.Path('data').glob('*.csv')", False, id="generator"),
    pytest.param("files = options.list('data')", False, id="a method named list"),
    pytest.param("files = files[:10]", False, id="only itself, a parameter"),
    pytest.param("with read() as files:\n    files = ['a']", False, id="bound in another way"),
])
@pytest.mark.parametrize("is_function", [True, False], ids=["function", "module"])
def test_a_list_of_python_is_told_from_what_may_be_a_tensor(lines, is_list, is_function):
    if is_function:
        parameter = "files" if lines == "files = files[:10]" else "names"
        lines = "def f({}):\n    {}\n".format(parameter, lines.replace("\n", "\n    "))
    elif lines == "files = files[:10]":
        lines = "from inputs import files\n"
    source = Source("a.py", (lines + "\n").encode("utf-8"))
    function = source.module.body[0] if is_function else None
    assert Scope(source, function).is_list(cst.Name("files")) is is_list
