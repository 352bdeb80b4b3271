"""Projects in which every expression may be many things: tables of functions, classes with attributes, recursion."""
import pytest

from legacy_towers.migrate.source.knowledge import MOST_VALUES
from legacy_towers.migrate.source.project import read_project

FILE = """
import tensorflow as tf
from part{next} import *
import part{next} as other

class Layer{n}(Layer{next} if {n} else object):
    def __init__(self, inner, reader=None):
        self.inner, self.reader, self.items = inner, reader, [inner, reader]

    def apply(self, x, *more, **named):
        self.last = self.inner.apply(self.items[0], x, *more, **named)
        return apply_all(self.last, self.apply, self.inner, x, layer=self)

def apply_all(x, *functions, **named):
    for function in functions:
        x = function(x, *functions, **named)
    return other.apply_all(x, functions, **named) if x else visit(named, x)

def visit(node, x):
    return [visit(each, apply_all(x, visit, *node)) for each in node] + [TABLE[x](node), other.visit(node, x)]

TABLE = dict(apply_all=apply_all, visit=visit, layer=Layer{n}, **other.TABLE)
TABLE.update({{name: value for name, value in other.TABLE.items()}})
MORE = [lambda x: TABLE[x](apply_all(x, visit, Layer{n}(x).apply), visit) for _ in range(3)]
record = tf.TFRecordReader().read(TABLE["queue"](tf.train.string_input_producer([str({n})])))
batch = tf.train.batch([Layer{n}(record).apply(record, *MORE)], {n})
"""


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def write(folder, files):
    for number in range(files):
        source = FILE.format(n=number, next=(number + 1) % files)
        (folder / "part{}.py".format(number)).write_text(source, encoding="utf-8")


def test_values_stay_bounded_and_each_call_is_found_once(tmp_path):
    write(tmp_path, 40)
    project = read_project([str(tmp_path)])
    names = ["tf.TFRecordReader", "tf.ReaderBase.read", "tf.train.string_input_producer", "tf.train.batch"]
    assert sorted(site.name for site in project.sites) == sorted(names * 40)
    values = [each for site in project.sites for each in site.arguments.values()]
    assert max(len(each) for each in values) <= MOST_VALUES
    assert {str(tmp_path / "part{}.py".format(number)) for number in range(40)} & project.knowledge.limited


def test_what_is_left_out_is_the_same_in_each_reading(tmp_path):
    write(tmp_path, 12)
    first, second = (read_project([str(tmp_path)]) for _ in range(2))
    assert [[str(each) for each in first.sources(site)] for site in first.sites] == [
        [str(each) for each in second.sources(site)] for site in second.sites
    ]


def test_a_small_project_is_not_limited(tmp_path):
    (tmp_path / "script.py").write_text("import tensorflow as tf\nbatch = tf.train.batch([1], 2)\n", encoding="utf-8")
    assert read_project([str(tmp_path)]).knowledge.limited == set()
