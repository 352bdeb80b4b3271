"""The table of what is changed in a process is what really differs in one."""
import fnmatch
import json
import os

import pytest
from processes import output_of

from legacy_towers.compat import tf
from legacy_towers.compat.patches import changes
from legacy_towers.compat.versions import keras, supported

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNING = supported.parse(tf.__version__)
HAS_CONTRIB = RUNNING.pair == (1, 15)
HAS_KERAS_2 = RUNNING.pair >= supported.FIRST_WITH_KERAS_3 and keras.uses_tf_keras(RUNNING)
# What TensorFlow and Keras load and choose by themselves is loaded and chosen before anything is compared.
BEGIN = """
import json, os, sys
sys.path.insert(0, {here!r})
import process_state
import tensorflow, tensorflow.compat.v1 as v1, numpy
v1.disable_v2_behavior()
tensorflow.keras.Model
if {has_keras_2}:
    from tf_keras.api._v1 import keras as legacy
    legacy.Model, legacy.optimizers.SGD, legacy.__internal__.legacy.layers.dense
if {has_contrib}:
    tensorflow.contrib.layers
from tensorflow.python.autograph.core import config
from tensorflow.python.autograph.pyct import parser
with v1.Graph().as_default(), v1.Session() as session:
    session.run(v1.constant(1.0))
libraries, process = process_state.of_libraries(), process_state.of_process()

def show():
    differing = process_state.changed(libraries, process_state.of_libraries())
    print("changed", json.dumps(differing + process_state.changed(process, process_state.of_process())))
"""
RUN = """
import argparse, types
from legacy_towers.run import loader, script_finder, start
from legacy_towers.run.runtime import options
sys.modules["probe"] = types.ModuleType("probe")
sys.modules["probe"].show = show
parser = argparse.ArgumentParser()
options.add_arguments(parser)
given = parser.parse_args([])
program = start.script({script!r})
run = program.run(given)
with options.prepare(given, run):
    start.execute(program, run)
loader.uninstall(script_finder.installed())
show()
"""


def stages(program, **values):
    """Returns the list of what has changed at each `show()` of `program`."""
    begin = BEGIN.format(here=HERE, has_contrib=HAS_CONTRIB, has_keras_2=HAS_KERAS_2)
    printed = output_of(begin + program.format(**values))
    return [json.loads(line[len("changed ") :]) for line in printed.splitlines() if line.startswith("changed ")]


def rows(*when):
    return [change.what for change in changes.CHANGES if change.when in when]


def unlisted(found, patterns):
    return [name for name in found if not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def unseen(found, patterns):
    return [pattern for pattern in patterns if not fnmatch.filter(found, pattern)]


@pytest.mark.slow
def test_imports_change_nothing_and_old_names_a_finder():
    imported, used, old = stages(
        "import legacy_towers, legacy_towers.compat\nshow()\nfrom legacy_towers.compat import tf\n"
        "tf.Session, tf.nn.relu, dir(tf.layers)\nshow()\ntf.contrib.layers\nshow()\n"
    )
    assert (imported, used) == ([], [])
    assert old == ([] if HAS_CONTRIB else rows(changes.OLD_NAMES))


@pytest.mark.slow
def test_a_script_changes_what_the_table_says_until_it_ends(tmp_path):
    script = tmp_path / "script.py"
    lines = ["import tensorflow as tf", "import probe"] + (["import keras; tf.layers.Dense"] if HAS_KERAS_2 else [])
    script.write_text("\n".join(lines + ["with tf.Session() as s: s.run(tf.constant(1.0))", "probe.show()"]) + "\n")
    during, after = stages(RUN, script=str(script))
    with_keras = (changes.RUN_KERAS, changes.RUN_LAYERS) if HAS_KERAS_2 else ()
    assert unlisted(during, rows(changes.RUN, *with_keras)) == []
    if HAS_KERAS_2:  # other versions need fewer changes
        assert unseen(during, rows(changes.RUN, *with_keras)) == []
    # The rest belongs to the script's process, and ends with it.
    assert [name for name in after if name.startswith(("tensorflow", "keras", "tf_keras"))] == []


@pytest.mark.slow
def test_a_profile_context_changes_session_runs_until_it_ends(tmp_path):
    during, after = stages(
        "from legacy_towers.compat.patches import session_runs\n"
        "with session_runs.through(lambda run, session, *arguments: run(*arguments)):\n    show()\nshow()\n"
    )
    assert (during, after) == (rows(changes.PROFILE), [])


@pytest.mark.slow
def test_a_change_that_is_not_listed_is_found():
    (found,) = stages("import logging, os\nos.environ['X'] = '1'\ntensorflow.Graph.as_default = print\nshow()\n")
    assert unlisted(found, rows(changes.PROFILE)) == found
    assert "os.environ" in found and any(name.endswith("Graph.as_default") for name in found)
    assert unseen(found, rows(changes.PROFILE)) == rows(changes.PROFILE)


def test_the_page_shows_the_table():
    page = os.path.join(HERE, "..", "..", "..", "docs", "pages", "process_changes.md")
    with open(page, encoding="utf-8") as file:
        assert changes.table() in file.read()
