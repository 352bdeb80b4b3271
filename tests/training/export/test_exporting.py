"""lt.export: what a SavedModel contains, takes and returns, and what is refused; numbers are checked with numpy."""
import os

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, JobError

SCALE = np.float32([[1, 2], [3, 4], [5, 6]])
ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)
X = {"x": tf.TensorSpec([None, 3], tf.float32)}


def scaled(batch):
    return tf.matmul(batch["x"], tf.get_variable("w", [3, 2]))


def model_fn(batch, mode):
    return lt.TowerOutput(predictions=scaled(batch))


@pytest.fixture
def checkpoint(tmp_path, monkeypatch):
    """A checkpoint of a plain tf.train.Saver with "w", its average, twice as large, and nothing else."""
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        w, average = tf.Variable(SCALE, name="w"), tf.Variable(2 * SCALE, name="w/ExponentialMovingAverage")
        session.run(tf.global_variables_initializer())
        return tf.train.Saver([w, average]).save(session, "run/model.ckpt", global_step=7)


def serve(path, **arrays):
    """Returns the outputs of a SavedModel for the named inputs, in a new session."""
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.load(session, ["serve"], path).signature_def["serving_default"]
        feed = {}
        for name, info in signature.inputs.items():
            if info.HasField("coo_sparse"):
                sparse = info.coo_sparse
                names = (sparse.indices_tensor_name, sparse.values_tensor_name, sparse.dense_shape_tensor_name)
                feed.update(zip(names, arrays[name]))
            else:
                feed[info.name] = arrays[name]
        assert set(signature.inputs) == set(arrays)
        return session.run({name: info.name for name, info in signature.outputs.items()}, feed)


def test_a_model_function_and_a_checkpoint_are_exported(checkpoint):
    exported = lt.export(model_fn, checkpoint, "new/models/1", batch=dict(X, unread=tf.TensorSpec([None], tf.string)))
    np.testing.assert_allclose(serve("new/models/1", x=ROWS)["predictions"], ROWS.dot(SCALE))
    assert exported == ("new/models/1", checkpoint, None, {"x": ("float32", [None, 3])}, {
        "predictions": ("float32", [None, 2])
    })
    assert str(exported).splitlines()[0] == "exported {} to new/models/1, signature serving_default".format(checkpoint)


def test_moving_averages_are_exported(checkpoint):
    lt.export(model_fn, "run", "averaged", batch=X, moving_average_decay=0.9)
    np.testing.assert_allclose(serve("averaged", x=ROWS)["predictions"], 2 * ROWS.dot(SCALE))


def test_a_batch_and_predictions_of_any_structure(checkpoint):
    def nested(batch, mode):
        word, (sparse, rows) = batch
        rows = tf.matmul(rows + tf.sparse.to_dense(sparse), tf.get_variable("w", [3, 2]))
        return lt.TowerOutput(predictions=(rows, {"word": tf.strings.join([word, "!"])}))

    spec = (
        tf.TensorSpec([None], tf.string),
        (tf.SparseTensorSpec([None, 3], tf.float32), tf.TensorSpec([None, 3], tf.float32)),
    )
    lt.export(nested, "run", "nested", batch=spec)
    sparse = (np.array([[1, 0]]), np.float32([10]), np.array([4, 3]))
    found = serve("nested", **{"0": ["a", "b", "c", "d"], "1/0": sparse, "1/1": ROWS})
    rows = ROWS.copy()
    rows[1, 0] += 10
    np.testing.assert_allclose(found["0"], rows.dot(SCALE))
    assert list(found["1/word"]) == [b"a!", b"b!", b"c!", b"d!"]


def test_chosen_outputs_take_only_the_inputs_that_they_need(checkpoint):
    def two(batch, mode):
        return lt.TowerOutput(predictions={"rows": scaled(batch), "python": tf.py_func(len, [batch["y"]], tf.int64)})

    batch = dict(X, y=tf.TensorSpec([None], tf.float32))
    lt.export(two, "run", "rows", batch=batch, outputs=["rows"], batch_size=4)
    assert list(serve("rows", x=ROWS)) == ["rows"]
    with pytest.raises(Exception, match="(?i)cannot feed value of shape"):
        serve("rows", x=ROWS[:3])
    with pytest.raises(ArgumentError, match="no output 'row': the predictions are 'rows', 'python'"):
        lt.export(two, "run", "row", batch=batch, outputs=["row"])


def test_records_are_parsed_by_the_model(checkpoint):
    def parse(line):
        return {"x": tf.strings.to_number(tf.strings.split([line]).values)[:3], "unread": line}

    with open("lines.txt", "w") as stream:
        stream.write("1 2 3\n")
    examples = lt.Examples.from_text_lines("lines.txt", parse)
    examples = examples.map(lambda line: dict(line, x=tf.reshape(line["x"], [3])))
    exported = lt.export(model_fn, "run", "lines", batch=examples, serialized=True)
    assert exported.inputs == {"examples": ("string", [None])}
    os.remove("lines.txt")
    found = serve("lines", examples=[" ".join(map(str, row)) for row in ROWS])
    np.testing.assert_allclose(found["predictions"], ROWS.dot(SCALE))


def graph_of(path):
    with tf.Graph().as_default(), tf.Session() as session:
        return tf.saved_model.load(session, ["serve"], path)


def test_an_exported_graph_has_nothing_but_what_serves(checkpoint):
    def model(batch, mode):
        v = tf.Variable(1.0, name="v", collections=[tf.GraphKeys.LOCAL_VARIABLES])
        with tf.device("/cpu:0"), tf.name_scope("model"):
            tf.summary.histogram("x", batch["x"])
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign(v, 2.0))
            table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [1]), 0)
            assert table is not None
            noise = tf.get_variable("not_served", [3])
            return lt.TowerOutput(loss=tf.reduce_sum(noise), predictions=scaled(batch) * v)

    lt.export(model, "run", "small", batch=X)
    np.testing.assert_allclose(serve("small", x=ROWS)["predictions"], ROWS.dot(SCALE))
    nodes = graph_of("small").graph_def.node
    assert {node.device for node in nodes} == {""}
    assert not any("tower" in node.name for node in nodes)
    kinds = {node.op for node in nodes}
    assert not {kind for kind in kinds if "Random" in kind or "Table" in kind or "Summary" in kind or "Stack" in kind}
    assert sum(node.op == "VarHandleOp" for node in nodes) == 2  # w, and v, a local variable with an initializer
    assert [node.name for node in nodes if node.op == "Placeholder"] == ["x"]


def python_function(batch):
    return tf.py_func(lambda rows: rows, [scaled(batch)], tf.float32, name="mine")


def python_in_a_function(batch):
    numbers = tf.data.Dataset.from_tensor_slices([1.0]).map(lambda row: tf.py_func(abs, [row], tf.float32))
    return scaled(batch) + tf.data.make_one_shot_iterator(numbers).get_next()


def reads_a_queue(batch):
    queue = tf.FIFOQueue(9, tf.float32, [[]], name="mine")
    return scaled(batch) + queue.dequeue()


def own_placeholder(batch):
    return scaled(batch) * tf.placeholder(tf.float32, [], name="keep")


def trains(batch):
    scaled(batch)
    (w,) = tf.global_variables("w")
    with tf.control_dependencies([w.assign_add(tf.ones([3, 2]), name="mine", read_value=False)]):
        return tf.matmul(batch["x"], w)


def hidden_variable(batch):
    return scaled(batch) + tf.get_variable("hidden", [2], collections=["MINE"])


@pytest.mark.parametrize(
    "predictions, message",
    [
        (python_function, r"'mine' \(PyFunc\w*\), which calls Python, which a server does not have"),
        (python_in_a_function, "reads an input pipeline, which is not exported: take what it reads|calls Python"),
        (reads_a_queue, r"'mine_Dequeue' \(QueueDequeueV2\), which reads an input pipeline"),
        (own_placeholder, "the placeholder 'keep', which is not a component of the batch"),
        (trains, r"run 'mine\w*' \(AssignAddVariableOp\), which writes the variable 'w': a served model must not"),
        (hidden_variable, "need the variable 'hidden', which is in none of the collections"),
        (lambda batch: batch["x"], "the predictions need no variable"),
        (lambda batch: tf.get_variable("w", [3, 2]) + 0.0, r"'predictions' has shape \[3, 2\]: its first axis must "),
        (lambda batch: tf.reduce_sum(scaled(batch)), r"'predictions' has shape \[\]: its first axis must be the "),
        (lambda batch: None, "returned no predictions for mode 'predict'"),
        (lambda batch: scaled(batch) + tf.get_variable("more", [2]), "lacks 'more': it was written by another model"),
    ],
)
def test_what_cannot_be_served_is_refused_and_leaves_nothing(checkpoint, predictions, message):
    with pytest.raises(JobError, match=message):
        lt.export(lambda batch, mode: lt.TowerOutput(predictions=predictions(batch)), "run", "new/model", batch=X)
    assert os.listdir(".") == ["run"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(batch=None), "batch is missing: give the Examples"),
        (dict(batch={"x": tf.float32}), "component 'x' of the batch is .*: an exported model takes dense and sparse"),
        (dict(batch={"x": tf.TensorSpec([], tf.float32)}), "component 'x' of the batch has no batch axis"),
        (dict(serialized=True), "serialized records can't be served: the examples must come from TFRecords"),
        (dict(batch_size=0), "batch_size is 0: at least 1 is needed"),
        (dict(output="run"), "the output is 'run', which exists: name a new directory, such as .* version, 'run/1'"),
        (dict(output="run/model.ckpt-7.index/1"), "'.*/model.ckpt-7.index' is not a directory"),
        (dict(model=lt.job(lambda: None)), "give the job that '<lambda>' returns, not the function"),
        (dict(checkpoint="none"), "there is no checkpoint in 'none'"),
        (dict(checkpoint="run/model.ckpt-7", best=True), "best=True needs a checkpoint directory"),
        (dict(best=True), "there is no best checkpoint in 'run'"),
    ],
)
def test_wrong_arguments(checkpoint, arguments, message):
    with pytest.raises((ArgumentError, JobError), match=message):
        lt.export(**dict(dict(model=model_fn, checkpoint="run", output="model", batch=X), **arguments))
    assert os.listdir(".") == ["run"]


def test_a_failure_while_writing_leaves_nothing(checkpoint):
    def with_table(batch, mode):
        initializer = tf.lookup.TextFileInitializer("words.txt", tf.string, 0, tf.int64, -1)
        words = tf.lookup.StaticHashTable(initializer, 0).lookup(tf.as_string(batch["x"][:, 0]))
        return lt.TowerOutput(predictions=scaled(batch) + tf.cast(words, tf.float32)[:, tf.newaxis])

    with pytest.raises(JobError, match="a lookup table of the model reads 'words.txt', which does not exist"):
        lt.export(with_table, "run", "new/model", batch=X)
    os.mkdir("words.txt")  # TensorFlow fails to copy it, when it has written the variables
    with pytest.raises(tf.errors.OpError):
        lt.export(with_table, "run", "new/model", batch=X)
    assert sorted(os.listdir(".")) == ["run", "words.txt"]


def test_the_next_version_is_named_where_versions_exist(checkpoint):
    os.makedirs("models/9")
    with pytest.raises(ArgumentError, match="such as the next version, 'models/10'"):
        lt.export(model_fn, "run", "models", batch=X)


def test_a_damaged_checkpoint_is_refused(checkpoint):
    with open(checkpoint + ".data-00000-of-00001", "r+b") as stream:
        stream.truncate(10)
    with pytest.raises(JobError, match="the checkpoint run/model.ckpt-7 is damaged"):
        lt.export(model_fn, checkpoint, "model", batch=X)
