"""Initializers of local variables that only num_epochs of queues needed, before and after."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.controls import rewrite_controls
from legacy_towers.migrate.source.rewrite.drafts import Program, new_draft

CASES = [
    ("sess.run(tf.local_variables_initializer())", ""),
    ("tf.local_variables_initializer().run()", ""),
    ("tf.initialize_local_variables().run()", ""),
    ("sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])",
     "sess.run(tf.global_variables_initializer())"),
    ("sess.run((tf.local_variables_initializer(), tf.tables_initializer(), tf.global_variables_initializer()))",
     "sess.run((tf.tables_initializer(), tf.global_variables_initializer()))"),
    ("sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))",
     "sess.run(tf.global_variables_initializer())"),
    ("init = tf.group(tf.global_variables_initializer(),\n"
     "                    tf.local_variables_initializer())\n    sess.run(init)",
     "init = tf.global_variables_initializer()\n    sess.run(init)"),
    ("init = tf.local_variables_initializer()\n    sess.run(init)", ""),
    ("init = tf.global_variables_initializer()\n    local = tf.local_variables_initializer()\n"
     "    sess.run([init, local])",
     "init = tf.global_variables_initializer()\n    sess.run(init)"),
    ("init, local = tf.global_variables_initializer(), tf.local_variables_initializer()\n    sess.run([init, local])",
     "init, local = tf.global_variables_initializer(), tf.local_variables_initializer()\n    sess.run([init, local])"),
    ("# Local variables: the number of the epoch.\n    sess.run(tf.local_variables_initializer())", ""),
]
IDS = ["run", "op.run", "old name", "list", "tuple of three", "group", "group in a variable", "variable",
       "variable in a list", "two targets", "with its comment"]
SCRIPT = """
    batch = numbers()
    sess = tf.InteractiveSession()
    {}
    print(sess.run(batch))
    sess.close()
"""
STARTED = "\n    tf.train.start_queue_runners(sess)"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("before, after", CASES, ids=IDS)
def test_initializers_of_local_variables(check, before, after):
    after = SCRIPT.format(after) if after else SCRIPT.replace("    {}\n", "")
    check(SCRIPT.format(before + STARTED), after)


@pytest.mark.parametrize("uses", [
    "value, update = tf.metrics.mean([1.])",
    "count = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES])",
    "count = tf.Variable(0, collections=['local_variables'])",
    "count = tf.contrib.framework.local_variable(0)",
    "print(tf.local_variables())",
    "import networks",
])
def test_initializers_stay_where_there_may_be_local_variables(rewritten, uses):
    text = (
        "import tensorflow as tf\nfrom pipe import numbers\n{}\nbatch = numbers()\nsess = tf.Session()\n"
        "sess.run(tf.local_variables_initializer())\nprint(sess.run(batch))\n".format(uses)
    )
    assert rewritten(text) == (text, [])


@pytest.mark.parametrize("name", ["match_filenames_once", "string_input_producer"])
def test_initializers_stay_where_another_queue_is_left(tmp_path, name):
    text = (
        "import tensorflow as tf\na = tf.train.batch([tf.train.range_input_producer(3, num_epochs=1).dequeue()], 2)\n"
        "b = tf.train.{}('*.png')\ntf.Session().run(tf.local_variables_initializer())\n".format(name)
    )
    path = tmp_path / "main.py"
    path.write_text(text)
    project = read_project([str(path)])
    first, second = find_pipelines(project).pipelines
    for rewritten, after in (([first], text), ([first, second], text.rpartition("tf.Session")[0])):
        drafts = {str(path): new_draft(project.files[str(path)], project.sites[0])}
        controls = [site for site in first.controls if all(site in each.controls for each in (first, second))]
        assert rewrite_controls(Program(project, controls, drafts, rewritten)) == []
        assert drafts[str(path)].edits.text() == after


def test_initializers_stay_where_a_module_two_imports_away_has_local_variables(rewritten):
    text = (
        "import tensorflow as tf\nimport model\nfrom pipe import numbers\nbatch = numbers()\nsess = tf.Session()\n"
        "sess.run(tf.local_variables_initializer())\nprint(sess.run(batch))\n"
    )
    evaluation = "import tensorflow as tf\ndef accuracy(x, y):\n    return tf.{}.accuracy(x, y)\n"
    assert rewritten(text, model="import evaluation", evaluation=evaluation.format("metrics")) == (text, [])
    kept = text.replace("sess.run(tf.local_variables_initializer())\n", "")
    assert rewritten(text, model="import evaluation", evaluation=evaluation.format("mine")) == (kept, [])
