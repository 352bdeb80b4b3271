"""Scripts whose queues are in another module: their controls are rewritten, and both are run."""
import contextlib
import io
import sys
import textwrap
import types

import pytest

from legacy_towers.compat import tf
from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import position, read_project
from legacy_towers.migrate.source.rewrite.controls import rewrite_controls
from legacy_towers.migrate.source.rewrite.drafts import Program, new_draft

HEADER = "from legacy_towers.compat import tf\nfrom pipe import broken, numbers\n\n"
# `numbers` gives 0, 1, ... in batches of two; `broken` fails at its fourth number.
QUEUES = """
from legacy_towers.compat import tf

def numbers(count=4, epochs=1):
    queue = tf.train.range_input_producer(count, num_epochs=epochs, shuffle=False)
    return tf.train.batch([queue.dequeue()], 2)

def broken():
    words = tf.train.input_producer(["0", "1", "2", "three", "4", "5"], num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch([tf.string_to_number(words)], 2)
"""
DATASETS = """
from legacy_towers.compat import tf

def numbers(count=4, epochs=1):
    dataset = tf.data.Dataset.range(count).repeat(epochs).batch(2)
    return tf.data.make_one_shot_iterator(dataset).get_next()

def broken():
    dataset = tf.data.Dataset.from_tensor_slices(["0", "1", "2", "three", "4", "5"]).map(tf.string_to_number).batch(2)
    return tf.data.make_one_shot_iterator(dataset).get_next()
"""


def rewrite(folder, text, modules, names=None):
    """Returns (the text of main.py with its controls rewritten, what can't be rewritten).

    Args:
      folder: where the files are written.
      text: main.py, which may use pipe.py.
      modules: name -> the text of other files.
      names: the files whose pipelines are rewritten; None: all.
    """
    for name, content in dict(modules, **{"main.py": text, "pipe.py": QUEUES}).items():
        (folder / name).write_text(textwrap.dedent(content), encoding="utf-8")
    project = read_project([str(folder)])
    paths = [str(folder / name) for name in names] if names is not None else list(project.files)
    drafts = {path: new_draft(project.files[path], project.sites[0]) for path in paths}
    pipelines = [
        each for each in find_pipelines(project).pipelines if all(site.path in drafts for site in each.sites)
    ]
    controls = {site for each in pipelines for site in each.controls}
    left = rewrite_controls(Program(project, sorted(controls, key=position), drafts, pipelines))
    return drafts[str(folder / "main.py")].edits.text(), left


def printed(text, pipe, monkeypatch):
    """Returns what a script prints, and the error that ends it."""
    module = types.ModuleType("pipe")
    exec(pipe, module.__dict__)
    monkeypatch.setitem(sys.modules, "pipe", module)
    output = io.StringIO()
    with tf.Graph().as_default(), contextlib.redirect_stdout(output):
        try:
            exec(compile(text, "main.py", "exec"), {"__name__": "__main__"})
        except Exception as error:  # what the script ends with is compared
            print("ends with", type(error).__name__)
    return output.getvalue()


@pytest.fixture
def rewritten(tmp_path):
    def run(text, paths=None, **modules):
        return rewrite(tmp_path, text, {"{}.py".format(name): content for name, content in modules.items()}, paths)

    return run


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Checks that a script becomes another one, which prints the same with tf.data, and stays as it is from then on."""

    def run(before, after, same=True):
        before, after = [HEADER + textwrap.dedent(each) for each in (before, after)]
        text, left = rewrite(tmp_path, before, {})
        assert text == after
        assert left == []
        assert rewrite(tmp_path, after, {}) == (after, [])
        outputs = [printed(before, QUEUES, monkeypatch), printed(after, DATASETS, monkeypatch)]
        if same:
            assert outputs[0] == outputs[1]
        assert outputs[0]
        return outputs

    return run
