"""Initializers of local variables that only num_epochs of queues needed, before and after."""
import pytest

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
    "names = tf.train.match_filenames_once('*.png')",
    "print(tf.local_variables())",
    "import networks",
])
def test_initializers_stay_where_there_may_be_local_variables(rewritten, uses):
    text = (
        "import tensorflow as tf\nfrom pipe import numbers\n{}\nbatch = numbers()\nsess = tf.Session()\n"
        "sess.run(tf.local_variables_initializer())\nprint(sess.run(batch))\n".format(uses)
    )
    assert rewritten(text) == (text, [])


def test_initializers_stay_where_a_module_two_imports_away_has_local_variables(rewritten):
    text = (
        "import tensorflow as tf\nimport model\nfrom pipe import numbers\nbatch = numbers()\nsess = tf.Session()\n"
        "sess.run(tf.local_variables_initializer())\nprint(sess.run(batch))\n"
    )
    evaluation = "import tensorflow as tf\ndef accuracy(x, y):\n    return tf.{}.accuracy(x, y)\n"
    assert rewritten(text, model="import evaluation", evaluation=evaluation.format("metrics")) == (text, [])
    kept = text.replace("sess.run(tf.local_variables_initializer())\n", "")
    assert rewritten(text, model="import evaluation", evaluation=evaluation.format("mine")) == (kept, [])
