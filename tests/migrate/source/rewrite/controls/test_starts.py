"""Starts of queue runners and the lists of their threads, before and after."""
import os

import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.controls import rewrite_controls
from legacy_towers.migrate.source.rewrite.drafts import Program, new_draft

START = """
    batch = numbers()
    sess = tf.Session()
    sess.run(tf.local_variables_initializer())
"""
STARTED = """
    batch = numbers()
    sess = tf.Session()
"""
CASES = [
    pytest.param(
        """
    tf.train.start_queue_runners(sess=sess)
    print(sess.run(batch))
        """,
        """
    print(sess.run(batch))
        """,
        id="no coordinator",
    ),
    pytest.param(
        """
    _ = tf.train.start_queue_runners(sess)
    print(sess.run(batch))
        """,
        """
    print(sess.run(batch))
        """,
        id="not used",
    ),
    pytest.param(
        """
    coord = tf.train.Coordinator(); threads = tf.train.start_queue_runners(sess, coord); print(sess.run(batch))
    coord.request_stop(); coord.join(threads)
        """,
        """
    print(sess.run(batch))
        """,
        id="several statements on a line",
    ),
    pytest.param(
        """
    coord = tf.train.Coordinator()
    threads = []
    for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=10)
        """,
        """
    print(sess.run(batch))
        """,
        id="create_threads of all runners",
    ),
    pytest.param(
        """
    coord = tf.train.Coordinator()
    threads = []
    for runner in tf.get_collection("queue_runners"):
        threads += runner.create_threads(sess, coord=coord, start=True)
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads)
        """,
        """
    print(sess.run(batch))
        """,
        id="create_threads of all runners, added",
    ),
    pytest.param(
        """
    threads = tf.train.start_queue_runners(sess, start=False)
    for thread in threads:
        thread.start()
    print(sess.run(batch))
        """,
        """
    threads = []
    for thread in threads:
        thread.start()
    print(sess.run(batch))
        """,
        id="threads that the script starts",
    ),
    pytest.param(
        """
    class Trainer(object):
        def __init__(self):
            self.coord = tf.train.Coordinator()
            self.threads = tf.train.start_queue_runners(sess, self.coord)
        def close(self):
            self.coord.request_stop()
            self.coord.join(self.threads)
    trainer = Trainer()
    print(sess.run(batch))
    trainer.close()
        """,
        """
    class Trainer(object):
        def __init__(self):
            self.coord = tf.train.Coordinator()
            self.threads = []
        def close(self):
            self.coord.request_stop()
            self.coord.join(self.threads)
    trainer = Trainer()
    print(sess.run(batch))
    trainer.close()
        """,
        id="stored in an object",
    ),
    pytest.param(
        """
    def started(coord):
        return tf.train.start_queue_runners(sess, coord)
    coord = tf.train.Coordinator()
    threads = started(coord)
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads)
        """,
        """
    def started(coord):
        return []
    coord = tf.train.Coordinator()
    threads = started(coord)
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads)
        """,
        id="returned",
    ),
    pytest.param(
        """
    threads = None
    coord = None
    with_queues = True
    if with_queues:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
    print(sess.run(batch))
    if with_queues:
        coord.request_stop()
        coord.join(threads)
        """,
        """
    with_queues = True
    print(sess.run(batch))
        """,
        id="in a branch",
    ),
    pytest.param(
        """
    import threading
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    def work():
        while not coord.should_stop():
            coord.wait_for_stop(0.01)
    worker = threading.Thread(target=work)
    worker.start()
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads + [worker])
        """,
        """
    import threading
    coord = tf.train.Coordinator()
    threads = []
    def work():
        while not coord.should_stop():
            coord.wait_for_stop(0.01)
    worker = threading.Thread(target=work)
    worker.start()
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads + [worker])
        """,
        id="threads of the script beside",
    ),
    pytest.param(
        """
    class Reader(object):
        def __init__(self, coord):
            self.coord = coord
    coord = tf.train.Coordinator()
    reader = Reader(coord)
    threads = tf.train.start_queue_runners(coord=coord, sess=sess)
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads)
        """,
        """
    class Reader(object):
        def __init__(self, coord):
            self.coord = coord
    coord = tf.train.Coordinator()
    reader = Reader(coord)
    print(sess.run(batch))
    coord.request_stop()
    coord.join()
        """,
        id="a coordinator that an object has",
    ),
    pytest.param(
        """
    sess.close()
    sv = tf.train.Supervisor(logdir=None)
    with sv.managed_session() as sess:
        sv.start_queue_runners(sess)
        print(sess.run(batch))
        sv.request_stop()
        """,
        """
    sess.close()
    sv = tf.train.Supervisor(logdir=None)
    with sv.managed_session() as sess:
        print(sess.run(batch))
        sv.request_stop()
        """,
        id="Supervisor",
    ),
    pytest.param(
        """
    sess.close()
    sv = tf.train.Supervisor(logdir=None)
    runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    chief_runners = []
    with sv.managed_session() as sess:
        sv.start_queue_runners(sess, runners)
        sv.start_queue_runners(sess, queue_runners=chief_runners)
        sv.start_queue_runners(sess, chief_runners)
        print(sess.run(batch))
        sv.request_stop()
        """,
        """
    sess.close()
    sv = tf.train.Supervisor(logdir=None)
    runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    chief_runners = []
    with sv.managed_session() as sess:
        sv.start_queue_runners(sess, queue_runners=chief_runners)
        sv.start_queue_runners(sess, chief_runners)
        print(sess.run(batch))
        sv.request_stop()
        """,
        id="Supervisor that starts a queue runner of its own",
    ),
]


def script(start, body):
    return start.rstrip() + "\n" + body.strip("\n").rstrip() + "\n"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("before, after", CASES)
def test_starts_of_queue_runners_go(check, before, after):
    check(script(START, before), script(STARTED, after))


def test_threads_that_the_script_takes_from_the_list_are_named(rewritten):
    text, left = rewritten("""\
        import tensorflow as tf
        from pipe import numbers

        batch = numbers()
        sess = tf.Session()
        threads = tf.train.start_queue_runners(sess)
        print(threads[0].name)
        """)
    assert [(each.site.name, each.line, each.reason) for each in left] == [
        ("tf.train.start_queue_runners", 7, "the script uses the threads that it returns: threads[0]")
    ]


@pytest.mark.parametrize("unread", ["from elsewhere import images", "import models.images"])
def test_starts_stay_where_a_module_that_is_not_there_may_have_queues(rewritten, unread):
    text = (
        "import tensorflow as tf\nfrom pipe import numbers\n{}\n\nbatch = numbers()\nsess = tf.Session()\n"
        "tf.train.start_queue_runners(sess=sess)\nprint(sess.run(batch))\n".format(unread)
    )
    assert rewritten(text) == (text, [])


def test_starts_stay_where_a_queue_is_made_by_another_name_of_tensorflow(rewritten):
    text = (
        "import tensorflow as tf\nfrom pipe import numbers\nfrom keras import backend as K\n\nbatch = numbers()\n"
        "pairs = K.tf.train.batch([batch], 2)\nsess = tf.Session()\n"
        "tf.train.start_queue_runners(sess=sess)\nprint(sess.run(pairs))\n"
    )
    assert rewritten(text) == (text, [])


def test_starts_go_where_only_another_program_has_unknown_modules(rewritten):
    text = (
        "import tensorflow as tf\nfrom pipe import numbers\n\nbatch = numbers()\nsess = tf.Session()\n"
        "tf.train.start_queue_runners(sess=sess)\nprint(sess.run(batch))\n"
    )
    other = "import elsewhere\nimport tensorflow as tf\ntf.train.batch([1], 2)\n"
    kept = text.replace("tf.train.start_queue_runners(sess=sess)\n", "")
    assert rewritten(text, paths=["main.py", "pipe.py"], tool=other) == (kept, [])


def test_starts_go_from_a_script_that_finds_its_modules_by_pythonpath(tmp_path):
    for path, text in {
        "lib/reading.py": "import tensorflow as tf\ndef numbers():\n"
                          "    return tf.train.batch([tf.train.range_input_producer(3).dequeue()], 2)\n",
        "bin/main.py": "import tensorflow as tf\nfrom reading import numbers\nbatch = numbers()\n"
                       "tf.train.start_queue_runners()\n",
    }.items():
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(text)
    project = read_project([str(tmp_path)])
    drafts = {path: new_draft(file, project.sites[0]) for path, file in project.files.items()}
    pipelines = find_pipelines(project).pipelines
    controls = [site for pipeline in pipelines for site in pipeline.controls]
    assert rewrite_controls(Program(project, controls, drafts, pipelines)) == []
    assert "start_queue_runners" not in drafts[str(tmp_path / "bin" / "main.py")].edits.text()


def test_starts_go_from_files_that_are_named_in_different_ways(tmp_path, monkeypatch):
    text = (
        "import tensorflow as tf\nimport helper\na = tf.train.batch([tf.train.range_input_producer(3).dequeue()], 2)\n"
        "tf.train.start_queue_runners()\n"
    )
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "main.py").write_text(text)
        (tmp_path / folder / "helper.py").write_text("import os\n")
    monkeypatch.chdir(str(tmp_path))
    project = read_project([os.path.join("one", "main.py"), str(tmp_path / "two" / "main.py")])
    drafts = {path: new_draft(file, project.sites[0]) for path, file in project.files.items()}
    pipelines = find_pipelines(project).pipelines
    controls = [site for pipeline in pipelines for site in pipeline.controls]
    assert rewrite_controls(Program(project, controls, drafts, pipelines)) == []
    assert [draft.edits.text() for draft in drafts.values()] == [text.rpartition("tf.train.start")[0]] * 2


def test_starts_stay_where_another_pipeline_of_the_same_file_is_not_rewritten(tmp_path):
    text = (
        "import tensorflow as tf\na = tf.train.batch([tf.train.range_input_producer(3).dequeue()], 2)\n"
        "b = tf.train.batch([tf.train.range_input_producer(3).dequeue()], 2)\ntf.train.start_queue_runners()\n"
    )
    path = tmp_path / "main.py"
    path.write_text(text)
    project = read_project([str(path)])
    first = find_pipelines(project).pipelines[0]
    drafts = {str(path): new_draft(project.files[str(path)], project.sites[0])}
    assert rewrite_controls(Program(project, first.controls, drafts, [first])) == []
    assert drafts[str(path)].edits.text() == text
