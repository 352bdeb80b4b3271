"""The pipelines of a script that `migrate --write` leaves as they are."""
from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

START = """import tensorflow as tf
queue = tf.train.string_input_producer(["a", "b"])
reader = tf.TFRecordReader()
key, value = reader.read(queue)
"""


def left_pipelines(tmp_path, text):
    """Returns "LINE: CALL: REASON" for each pipeline of a script that is left, and checks that something is."""
    path = tmp_path / "script.py"
    path.write_text(text)
    project = read_project([str(path)])
    found = find_pipelines(project)
    plan = plan_rewrite(project, found)
    # Others of the file may be rewritten.
    assert len(plan.rewritten) < len(found.pipelines)
    assert len(found.pipelines) > 1 or plan.texts == {}
    return [str(each)[len(str(path)) + 1 :] for each in plan.left]
