"""The findings of a project: by pipeline over modules, selected by code, as text and JSON; and what was not read."""
import json
import textwrap

import pytest

from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.migrate.source import audit as auditing
from legacy_towers.migrate.source.audit import audit_paths, by_pipelines
from legacy_towers.migrate.source.output import as_json, as_text, explanation
from legacy_towers.migrate.source.rules.registry import of_code, rules


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


PROJECT = {
    "data/__init__.py": "",
    "data/reader.py": """
        import tensorflow as tf

        def read(files):
            _, record = tf.TFRecordReader().read(tf.train.string_input_producer(files))
            return record
        """,
    "data/batches.py": """
        import tensorflow as tf
        from data import reader

        def batches(files):
            record = reader.read(files)
            return tf.train.batch([record], 8)
        """,
    "train.py": """
        import tensorflow as tf
        from data.batches import batches

        x = batches(["a"])
        with tf.Session() as sess:
            tf.train.start_queue_runners(sess)
        """,
    "other.py": "print(1)\n",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, PROJECT)
    return tmp_path


def write(folder, sources):
    for name, source in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")


def test_text_has_a_line_for_each_construct_by_pipeline(project):
    lines = as_text(audit_paths(["."])).splitlines()
    assert [line.partition(" becomes ")[0] for line in lines] == [
        "pipeline 1: can be rewritten",
        "  data/reader.py:5:17: LT201 tf.TFRecordReader",
        "  data/reader.py:5:42: LT101 tf.train.string_input_producer",
        "  data/reader.py:5:17: LT208 reader.read",
        "  data/batches.py:7:12: LT301 tf.train.batch",
        "  train.py:7:5: LT503 tf.train.start_queue_runners",
        "",
        "5 findings in 1 pipeline, in 3 of 5 files; 1 pipeline can be rewritten; "
        "`legacy-towers migrate --explain LT201` explains a rule",
    ]


def test_json_has_the_same(project):
    found = json.loads(as_json(audit_paths(["."])))
    assert (found["files"], found["pipelines"], found["unread"], found["notebooks"]) == (5, 1, [], [])
    assert found["findings"][3] == {
        "code": "LT301", "name": "tf.train.batch", "path": "data/batches.py", "line": 7, "column": 12,
        "function": "batches", "pipelines": [1], "becomes": of_code("LT301").becomes,
        "reason": "",
    }
    assert found["rewritten"] == [1]


def test_a_call_that_prevents_the_rewriting_has_its_reason(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"script.py": """
        import tensorflow as tf
        key, record = tf.TFRecordReader().read(tf.train.string_input_producer(["a"]))
        x = tf.train.batch([record], 2)
        print(x, record)
        """})
    audit = audit_paths(["."])
    text = as_text(audit)
    assert text.startswith("pipeline 1: stays\n") and "0 pipelines can be rewritten" in text
    ((reason, line),) = [(each.reason, each.site.line) for each in audit.findings if each.reason]
    assert line == 3 and "'record' holds one example" in reason and " stays: {}; by hand: ".format(reason) in text
    assert json.loads(as_json(audit))["rewritten"] == []


def test_descriptions_of_files_that_no_provider_reads_prevent_nothing(project):
    description = """
        from tensorflow.contrib import slim

        decoder = slim.tfexample_decoder.TFExampleDecoder({}, {})
        split = slim.dataset.Dataset("a", tf.TFRecordReader, decoder, 9, {})
        """
    write(project, {"data/reader.py": PROJECT["data/reader.py"] + description, "data/flowers.py": description})
    audit = audit_paths(["."])
    assert as_text(audit).startswith("pipeline 1: can be rewritten\n")
    assert (audit.pipelines, audit.rewritten, audit.others) == (1, {1}, [])
    assert {each.site.path for each in audit.findings} == {"data/reader.py", "data/batches.py", "train.py"}


def test_without_libcst_it_is_not_known_what_can_be_rewritten(project, monkeypatch):
    monkeypatch.setattr(auditing, "_LIBCST", "no_such_package")
    audit = audit_paths(["."])
    assert audit.rewritten is None and json.loads(as_json(audit))["rewritten"] is None
    assert "; `pip install legacy_towers[migrate]` tells which of them can be rewritten; " in as_text(audit)
    assert as_text(audit).startswith("pipeline 1\n")


def test_what_starts_several_pipelines_has_a_group_of_its_own(tmp_path):
    write(tmp_path, {"script.py": """
        import tensorflow as tf
        a = tf.train.batch([tf.constant(1)], 2)
        b = tf.train.batch([tf.constant(2)], 2)
        tf.train.start_queue_runners()
        """})
    audit = audit_paths([str(tmp_path)])
    assert [(numbers, [each.site.line for each in findings]) for numbers, findings in by_pipelines(audit.findings)] == [
        ((1,), [3]), ((2,), [4]), ((1, 2), [5])
    ]
    assert "starts and stops the queues of the pipelines 1 and 2\n" in as_text(audit)


@pytest.mark.parametrize(
    "select, ignore, codes",
    [
        ((), (), ["LT201", "LT101", "LT208", "LT301", "LT503"]),
        (("LT2",), (), ["LT201", "LT208"]),
        (("LT2", "LT503"), ("LT208",), ["LT201", "LT503"]),
        ((), ("LT1", "LT2", "LT3"), ["LT503"]),
    ],
    ids=["all", "selected", "selected and ignored", "ignored"],
)
def test_codes_select_what_is_reported(project, select, ignore, codes):
    assert [each.rule.code for each in audit_paths(["."], select, ignore).findings] == codes


def test_what_is_never_rewritten_is_by_hand_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(
        "import tensorflow as tf\nqueue = tf.PriorityQueue(10, [tf.float32], [[]])\nbatch = queue.dequeue_many(2)\n")
    [line] = [each for each in as_text(audit_paths(["a.py"])).splitlines() if "LT404 tf.PriorityQueue" in each]
    assert line.endswith("; by hand: a dataset of sorted elements, or of windows of capacity elements that are sorted")


@pytest.mark.parametrize(
    "code, message",
    [
        ("LT109", "no rule has the code 'LT109': the closest are LT104, LT105, LT106; see "),
        ("LD301", "no rule has the code 'LD301': codes that begin with LD are checks of doctor; see "
         + "`legacy-towers doctor --explain LD301`"),
        ("LD3", "no rule has the code 'LD3': codes that begin with LD are checks of doctor; see "
         + "`legacy-towers doctor --explain all`"),
        ("X", "no rule has the code 'X'; see `legacy-towers migrate --explain all`"),
        ("", "no rule has the code ''; see "),
    ],
)
def test_an_unknown_code_is_refused_with_the_closest_ones(project, code, message):
    for options in {"select": [code]}, {"ignore": [code]}:
        with pytest.raises(ArgumentError) as error:
            audit_paths(["."], **options)
        assert str(error.value).startswith(message)
    with pytest.raises(UserError):
        of_code(code)


def test_files_that_are_not_read_are_left(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {
        "broken.py": "import tensorflow as tf\nx = tf.train.shuffle_batch(\n",
        "notebook.ipynb": '{"cells": [{"source": ["q = tf.FIFOQueue(1, [tf.int32])"]}]}',
        "other.ipynb": '{"cells": [{"source": ["x = dataset.batch(4)"]}]}',
        "fine.py": "import os\n",
        "not_related.py": "def broken(:\n",
    })
    (tmp_path / "bytes.py").write_bytes(b"import tensorflow as tf\ntf.FIFOQueue(1, \x00 [\xff\n")
    audit = audit_paths(["."])
    assert audit.findings == [] and audit.is_left
    lines = as_text(audit).splitlines()
    assert lines[0].startswith("broken.py:2: not read: it is neither Python 3 nor Python 2: ") or lines[0].startswith(
        "broken.py:3: not read: it is neither Python 3 nor Python 2: ")
    assert lines[1].startswith("bytes.py:") and ": not read: " in lines[1]
    assert lines[2].startswith("notebook.ipynb: not read: it is a notebook with names of queues")
    assert lines[4] == "no queues in 4 files; 3 files are not read"


def test_python_2_is_read(tmp_path):
    write(tmp_path, {"old.py": "import tensorflow as tf\nprint 'old'\nx = tf.train.batch([t], 2)\n"})
    assert [(each.rule.code, each.site.line) for each in audit_paths([str(tmp_path)]).findings] == [("LT301", 3)]


def test_files_whose_calls_are_not_fully_known_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = ["    tf.train.range_input_producer({}).dequeue(),".format(number) for number in range(70)]
    lines = ["import tensorflow as tf", "queues = ["] + calls + ["]", "x = tf.train.batch(queues, 2)"]
    write(tmp_path, {"many.py": "\n".join(lines) + "\n"})
    audit = audit_paths(["."])
    assert audit.limited == ["many.py"] and json.loads(as_json(audit))["not_fully_known"] == ["many.py"]
    assert "not fully known is what is called in 'many.py': some calls may not be connected" in as_text(audit)


def test_nothing_left_is_one_line(tmp_path):
    write(tmp_path, {"script.py": "import tensorflow as tf\n"})
    audit = audit_paths([str(tmp_path)])
    assert as_text(audit) == "no queues in 1 file" and not audit.is_left


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.code)
def test_an_explanation_has_all_parts(rule):
    text = explanation(rule)
    assert text.startswith("{} {}\n\n".format(rule.code, rule.title))
    for part in ["becomes " + rule.becomes, rule.limits.strip(), "Before\n\n    ", "After\n\n    "]:
        assert part in text
