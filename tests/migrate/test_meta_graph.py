"""A MetaGraph whose queues are converted gives the same batches, by the same names."""
import json
import os

import pytest
import queue_inputs
from queue_inputs import parsed, record, run_to_end

from legacy_towers import migrate
from legacy_towers.cli.main import main
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return queue_inputs.write_files(str(tmp_path_factory.mktemp("queue_inputs")))


def build_training(files):
    """Builds training on batches, and saves a checkpoint and its MetaGraph; returns the prefix of both."""
    number, x = tf.train.batch(parsed(record(files["tfrecord"])[1]), 4, name="batch")
    tf.add_to_collection("inputs", number)
    with tf.device("/cpu:0"):
        w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer([[1.0], [2.0]]))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)), name="loss")
    tf.train.GradientDescentOptimizer(1e-5).minimize(loss, name="train")


@pytest.fixture
def saved(files, tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        build_training(files)
        session.run(tf.global_variables_initializer())
        session.run(tf.assign(tf.trainable_variables()[0], [[3.0], [4.0]]))
        return tf.train.Saver().save(session, str(tmp_path / "model"))


def steps_of(meta, fetches, prefix):
    """Returns the values of the names `fetches` until the data ends, from the checkpoint at `prefix`."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        saver = tf.train.import_meta_graph(meta)
        session.run([tf.local_variables_initializer(), tf.tables_initializer()])
        saver.restore(session, prefix)
        runners = len(graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS))
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        steps = []
        try:
            while True:
                steps.append([each.tolist() for each in session.run(fetches)])
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=60)
        return steps, runners


def test_it_gives_the_batches_and_losses_of_the_queues_from_their_checkpoint(saved, tmp_path):
    out = str(tmp_path / "converted.meta")
    [plan] = migrate.convert_meta_graph(saved + ".meta", out)
    assert (plan.name, plan.promise) == ("batch/fifo_queue", "same sequence")
    fetches = ["batch:0", "batch:1", "loss:0"]
    queued, runners = steps_of(saved + ".meta", fetches, saved)
    converted, left = steps_of(out, fetches, saved)
    assert (runners, left) == (2, 0)
    assert len(queued) == 9 and queued[0][2] > 0
    assert converted == queued


def test_batches_can_be_fed_by_their_names(saved, tmp_path):
    out = str(tmp_path / "converted.meta")
    migrate.convert_meta_graph(saved + ".meta", out)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(out).restore(session, saved)
        assert session.run("loss:0", {"batch:1": [[1.0, 0.0]] * 4}) == 9.0
        assert [each.name for each in graph.get_collection("inputs")] == ["batch:0"]
        assert graph.get_operation_by_name("loss").device.lower().endswith("cpu:0")


def test_an_imported_meta_graph_is_converted_as_a_graph_that_was_built(saved):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(saved + ".meta")
        [plan] = migrate.convert().plans
        assert plan.promise == "same sequence"
        assert session.run("batch:0").tolist() == [0, 1, 2, 3]


def test_tables_and_several_reads_of_a_queue(tmp_path):
    path, out = str(tmp_path / "model.meta"), str(tmp_path / "converted.meta")

    def build():
        keys = tf.constant([0, 1, 2], tf.int64)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, keys * 10), -1)
        number = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
        rows = tf.FIFOQueue(4, [tf.int64], [[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(rows, [rows.enqueue([table.lookup(tf.cast(number, tf.int64))])]))
        with tf.control_dependencies([rows.dequeue(name="first")]):
            rows.dequeue(name="second")

    with tf.Graph().as_default() as graph:
        build()
        tf.train.export_meta_graph(path, graph=graph)
    assert [plan.promise for plan in migrate.convert_meta_graph(path, out)] == ["same sequence"]
    with tf.Graph().as_default():
        tf.train.import_meta_graph(out)
        assert run_to_end(["first:0", "second:0"]) == [[0, 10], [20, -1]] + [[-1, -1]] * 4


def export(path, build):
    with tf.Graph().as_default() as graph:
        build()
        tf.train.export_meta_graph(path, graph=graph)


def fed():
    queue = tf.FIFOQueue(4, [tf.int32], [[]], name="fed")
    queue.enqueue([tf.placeholder(tf.int32, [])])
    queue.dequeue()


def counted():
    tf.train.batch([tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()], 2)


def counted_and_fed():
    counted()
    fed()


@pytest.mark.parametrize("build, code, is_written, last_line", [
    (counted, 0, True, "1 of 1 pipelines read by tf.data; {out} is written"),
    (counted_and_fed, 1, True, "1 of 2 pipelines read by tf.data; {out} is written"),
    (fed, 1, False, "0 of 1 pipelines read by tf.data; {out} is not written"),
    (lambda: tf.constant(1), 1, False, "{path} reads from no queue: {out} is not written"),
], ids=["converted", "one refused", "all refused", "no queue"])
def test_the_command_writes_what_it_converts(build, code, is_written, last_line, tmp_path, capsys):
    path, out, plans = (str(tmp_path / name) for name in ("model.meta", "converted.meta", "plans.json"))
    export(path, build)
    assert main(["migrate", path, "--out", out, "--json", plans]) == code
    assert capsys.readouterr().out.splitlines()[-1] == last_line.format(path=path, out=out)
    assert os.path.exists(out) == is_written
    with open(plans) as file:
        found = json.load(file)
    assert found["written"] == (out if is_written else None) and found["proof"] is None
    assert sorted(os.listdir(str(tmp_path))) == sorted(
        ["model.meta", "plans.json"] + (["converted.meta"] if is_written else [])
    )


def test_the_command_proves_first(tmp_path, capsys):
    path, out = str(tmp_path / "model.meta"), str(tmp_path / "converted.meta")
    export(path, counted)
    assert main(["migrate", path, "--out", out, "--prove"]) == 0
    assert "'batch/fifo_queue': PROVEN: the same 2 batches in the same order, bit for bit" in capsys.readouterr().out


def test_a_conversion_that_differs_is_not_written(tmp_path, capsys, monkeypatch):
    from legacy_towers.migrate.proof import prove as proving

    path, out = str(tmp_path / "model.meta"), str(tmp_path / "converted.meta")
    export(path, counted)
    side = proving.dataset_side
    monkeypatch.setattr(proving, "dataset_side", lambda graph, shape, epochs, limit: side(graph, shape, 2))
    monkeypatch.setattr(proving, "queue_side", lambda graph, shape, epochs, limit: side(graph, shape, 1)[0])
    export(path, lambda: tf.train.batch([tf.train.range_input_producer(4, shuffle=False).dequeue()], 2))
    assert main(["migrate", path, "--out", out, "--prove"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "tf.data gives other examples: {} is not written".format(out)
    assert not os.path.exists(out)


@pytest.mark.parametrize("arguments, message", [
    (["missing.meta", "--out", "x.meta"], "there is no file 'missing.meta'"),
    (["train.py", "--out", "x.meta"], "--out is for a MetaGraph (a file that ends in .meta), got 'train.py'"),
    (["bad.meta", "--out", "bad.meta"], "--out is the MetaGraph itself: name another file"),
    (["bad.meta", "--out", "x.meta", "--json", "bad.meta"], "--json is 'bad.meta', which is the MetaGraph itself"),
    (["bad.meta", "--out", "x.meta", "--json", "./x.meta"], "--json is './x.meta', which is also the file of --out"),
    (["bad.meta", "--out", "nowhere/x.meta"], "there is no directory"),
    (["bad.meta", "--out", "x.meta"], "bad.meta: can't be read as a MetaGraph"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_wrong_usage_is_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(str(tmp_path))
    (tmp_path / "bad.meta").write_bytes(b"this is text")
    assert main(["migrate"] + arguments) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error
    assert os.listdir(str(tmp_path)) == ["bad.meta"]


@pytest.mark.parametrize("options", [[], ["--prove"]], ids=["plans", "proof"])
def test_without_out_the_plans_are_printed_and_nothing_is_written(options, tmp_path, capsys):
    path, plans = str(tmp_path / "model.meta"), str(tmp_path / "plans.json")
    export(path, counted)
    assert main(["migrate", path, "--json", plans] + options) == 0
    printed = capsys.readouterr().out
    assert ("PROVEN" in printed) == bool(options)
    assert "batch/fifo_queue: SAME SEQUENCE\n" in printed and printed.splitlines()[-1] == (
        "1 of 1 pipelines can read by tf.data; pass --out FILE to write the converted MetaGraph"
    )
    with open(plans) as file:
        assert json.load(file)["written"] is None
    assert sorted(os.listdir(str(tmp_path))) == ["model.meta", "plans.json"]


def test_an_operation_that_tensorflow_lacks_is_an_error(tmp_path):
    path = str(tmp_path / "model.meta")
    meta = tf.MetaGraphDef()
    meta.graph_def.node.add(name="x", op="NoSuchOperation")
    with open(path, "wb") as file:
        file.write(meta.SerializeToString())
    with pytest.raises(ArgumentError, match="NoSuchOperation"):
        migrate.convert_meta_graph(path, str(tmp_path / "out.meta"))


def test_a_queue_that_python_code_fills_stays(tmp_path):
    path, out = str(tmp_path / "model.meta"), str(tmp_path / "converted.meta")

    def build():
        queue = tf.FIFOQueue(9, [tf.int32], [[]], name="q")
        queue.enqueue([tf.placeholder(tf.int32, [])])
        tf.train.batch([queue.dequeue()], 3)

    export(path, build)
    [plan] = migrate.convert_meta_graph(path, out)
    reason = "Python code fills 'q', and a file can't hold what starts a dataset of it"
    assert (plan.promise, plan.reason, os.path.exists(out)) == ("refused", reason, False)
    [proof] = migrate.prove(path, rounds=0).pipelines
    assert (proof.verdict, proof.reason) == ("not compared", "it is refused: " + reason)
