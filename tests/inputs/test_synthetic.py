"""`lt.inputs.synthetic`: the same batch in every step, and the same computation as in a fed step."""
import collections

import numpy as np
import pytest

ROWS = np.arange(20 * 6, dtype=np.float32).reshape(20, 6)


def config(towers=2):
    from legacy_towers.compat import tf

    return tf.ConfigProto(device_count={"CPU": towers})


def arrays():
    return {"x": ROWS, "label": np.arange(20) % 3, "text": np.array(["t{}".format(row) for row in range(20)])}


def run_of(batches, steps=2, towers=2):
    from legacy_towers.compat import tf

    with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config(towers)) as session:
        return [session.run(batches.per_tower) for _ in range(steps)]


@pytest.mark.parametrize("kind", ["arrays", "parsed"])
def test_each_tower_keeps_its_part_of_the_first_global_batch(kind):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    examples = Examples.from_arrays(arrays())  # which other pipelines shuffle
    examples = examples if kind == "arrays" else examples.map(lambda example: dict(example))
    pipeline = inputs.synthetic(examples, per_tower_batch_size=4)
    batches = pipeline.build(["/cpu:0", "/cpu:1"])
    assert batches.hooks == [] and batches.counts is None and batches.input_ops == ()
    for tower, batch in enumerate(batches.per_tower):
        assert batch["x"].shape.as_list() == [4, 6]
        assert batch["x"].device.upper().endswith("CPU:{}".format(tower))
    for step in run_of(batches, steps=3):
        for tower, batch in enumerate(step):
            rows = slice(4 * tower, 4 * tower + 4)
            np.testing.assert_array_equal(batch["x"], ROWS[rows])
            np.testing.assert_array_equal(batch["label"], arrays()["label"][rows])
            assert batch["text"].tolist() == [text.encode() for text in arrays()["text"][rows]]
    assert all(variable.device[-5:] in ("CPU:0", "CPU:1") for variable in tf.local_variables())
    assert tf.global_variables() == tf.trainable_variables() == []


@pytest.mark.parametrize("order", ["any", "fixed"])
def test_the_plan_describes_the_batch(order):
    from legacy_towers import inputs
    from legacy_towers.data import Examples

    pipeline = inputs.synthetic(Examples.from_arrays(arrays()), per_tower_batch_size=4, order=order)
    plan = str(pipeline.build(["/cpu:0", "/cpu:1"]).plan)
    assert "batches: the first one in every step" in plan
    assert "tower 1: 4 examples from example 4 of the data on, the same in every step" in plan


def test_few_examples_are_repeated():
    from legacy_towers import inputs
    from legacy_towers.data import Examples

    batches = inputs.synthetic(Examples.from_arrays(np.arange(5)), global_batch_size=8).build(["/cpu:0", "/cpu:1"])
    assert [tower.tolist() for tower in run_of(batches)[1]] == [[0, 1, 2, 3], [4, 0, 1, 2]]


def test_no_examples_are_an_error():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples
    from legacy_towers.errors import InputError

    pipeline = inputs.synthetic(
        Examples.from_generator(lambda: iter([]), tf.TensorSpec([], tf.float32)), per_tower_batch_size=2
    )
    with pytest.raises(InputError, match="there are no examples in the generator"):
        pipeline.build(["/cpu:0"])


def test_sparse_and_ragged_components():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    def words(number):
        splits = tf.stack([0, number // 2, number])
        return {
            "sparse": tf.SparseTensor([[1]], tf.reshape(number, [1]), [3]),
            "ragged": tf.RaggedTensor.from_row_splits(tf.range(number), splits),
        }

    examples = Examples.from_arrays(np.arange(6)).map(words)
    batches = inputs.synthetic(examples, per_tower_batch_size=3).build(["/cpu:0", "/cpu:1"])
    by_dataset = inputs.dataset(examples, per_tower_batch_size=3).build(["/cpu:0", "/cpu:1"])
    for name in ("sparse", "ragged"):  # their static shapes differ between versions of TensorFlow
        known = by_dataset.per_tower[0][name].shape.as_list()
        assert batches.per_tower[0][name].shape.as_list() == known
    for tower, batch in enumerate(run_of(batches)[1]):
        own = range(3 * tower, 3 * tower + 3)
        assert batch["sparse"].indices.tolist() == [[0, 1], [1, 1], [2, 1]]
        assert batch["sparse"].values.tolist() == list(own)
        assert batch["sparse"].dense_shape.tolist() == [3, 3]
        assert batch["ragged"].to_list() == [
            [list(range(number // 2)), list(range(number // 2, number))] for number in own
        ]


@pytest.mark.parametrize("remainder", ["short", "pad"])
def test_counts_are_those_of_full_batches(remainder):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    pipeline = inputs.synthetic(Examples.from_arrays(np.arange(8)), per_tower_batch_size=3, remainder=remainder)
    batches = pipeline.build(["/cpu:0", "/cpu:1"])
    assert batches.padded == (remainder == "pad")
    assert [(count.dtype, count.shape.as_list()) for count in batches.counts] == [(tf.int32, [])] * 2
    with tf.train.MonitoredTrainingSession(config=config()) as session:
        assert session.run(batches.counts) == [3, 3]


BAD = [
    (dict(epochs=2), "epochs=2: synthetic data has no epochs and never ends; leave epochs out"),
    (dict(shuffle=True), "shuffle=True: synthetic batches contain the first examples in their order"),
    (dict(shuffle=100), "shuffle=100: synthetic batches contain the first examples in their order"),
    (dict(order="random"), 'order must be "any" or "fixed"'),
    (dict(remainder="some"), 'remainder must be "drop", "pad" or "short"'),
    (dict(global_batch_size=4), "(both given)"),
]


@pytest.mark.parametrize("options, message", BAD, ids=[message[:30] for _, message in BAD])
def test_options_of_synthetic_that_are_errors(options, message):
    from legacy_towers import inputs
    from legacy_towers.data import Examples
    from legacy_towers.errors import ArgumentError

    with pytest.raises(ArgumentError) as raised:
        inputs.synthetic(Examples.from_arrays(np.arange(8)), per_tower_batch_size=2, **options)
    assert message in str(raised.value)


def model_fn(batch, mode):
    """A net with preprocessing, which TensorFlow would fold if its input were a constant."""
    import legacy_towers as lt
    from legacy_towers.compat import tf

    x = batch["x"]
    for _ in range(3):
        x = tf.cumsum(tf.sin(x), axis=1)
    x = tf.image.resize_bilinear(tf.reshape(x, [4, 2, 3, 1]), [5, 5])
    weight = tf.get_variable("weight", [25, 3], initializer=tf.zeros_initializer())
    logits = tf.matmul(tf.reshape(x, [4, 25]), weight)
    return lt.TowerOutput(loss=tf.losses.sparse_softmax_cross_entropy(batch["label"], logits))


class Constant:
    """The wrong way: batches that are constants."""

    @staticmethod
    def pipeline(lt, examples):
        from legacy_towers.compat import tf

        data = arrays()
        return lt.inputs.from_tensors(per_tower=[
            {"x": tf.constant(data["x"][:4]), "label": tf.constant(data["label"][:4])} for _ in range(2)
        ])


PIPELINES = {
    "feed": lambda lt, examples: lt.inputs.feed(examples, per_tower_batch_size=4),
    "synthetic": lambda lt, examples: lt.inputs.synthetic(examples, per_tower_batch_size=4),
    "constant": Constant.pipeline,
}


def traced_types(pipeline):
    """Returns how often each type of op ran in a step, without ops that only hold or forward a value."""
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.measure.trace import TowerTrace

    data = arrays()
    examples = lt.Examples.from_arrays({"x": data["x"], "label": data["label"]})
    with tf.Graph().as_default():
        step = lt.build_train_step(
            model_fn, PIPELINES[pipeline](lt, examples), tf.train.GradientDescentOptimizer(0.1), ["/cpu:0", "/cpu:1"]
        )
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)

        class Traced(tf.train.SessionRunHook):
            def before_run(self, run_context):
                return tf.train.SessionRunArgs(None, options=options)

            def after_run(self, run_context, run_values):
                metadata.CopyFrom(run_values.run_metadata)

        with tf.train.MonitoredTrainingSession(hooks=step.hooks + [Traced()], config=config()) as session:
            for _ in range(3):
                session.run(step.train_op)
    ops = TowerTrace.from_run_metadata(metadata).ops
    return collections.Counter(op.type for op in ops if op.is_computing)


def test_a_synthetic_step_computes_the_same_as_a_fed_step():
    fed, held = traced_types("feed"), traced_types("synthetic")
    assert fed["Sin"] == 6 and fed["Cumsum"] == 6 and fed["ResizeBilinear"] == 2
    assert held == fed
    # The test can fail: with a constant, the preprocessing is folded.
    assert traced_types("constant")["Sin"] == 0


def test_the_graph_def_does_not_contain_the_batch():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    big = np.zeros([64, 50000], np.float32)
    inputs.synthetic(Examples.from_arrays(big), per_tower_batch_size=32).build(["/cpu:0", "/cpu:1"])
    assert len(tf.get_default_graph().as_graph_def().SerializeToString()) < 10000


@pytest.mark.parametrize("session", ["monitored", "bare"])
def test_synthetic_input_trains_and_resumes(session, tmp_path):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    data = arrays()
    examples = lt.Examples.from_arrays({"x": data["x"], "label": data["label"]})

    def train(folder):
        losses = []
        with tf.Graph().as_default():
            pipeline = lt.inputs.synthetic(examples, per_tower_batch_size=4)
            step = lt.build_train_step(
                model_fn, pipeline, tf.train.GradientDescentOptimizer(0.01), ["/cpu:0", "/cpu:1"]
            )
            if session == "monitored":
                with tf.train.MonitoredTrainingSession(
                    checkpoint_dir=folder, hooks=step.hooks, config=config(), log_step_count_steps=None
                ) as monitored:
                    for _ in range(3):
                        losses.append(float(monitored.run([step.loss, step.train_op])[0]))
                    return losses, int(monitored.run(step.global_step))
            saver = tf.train.Saver()
            with tf.Session(config=config()) as bare:
                found = tf.train.latest_checkpoint(folder)
                if found:
                    saver.restore(bare, found)
                with step.running(bare) as run:
                    losses = [float(run(step.loss)) for _ in range(3)]
                saver.save(bare, folder + "/model")
                return losses, int(bare.run(step.global_step))

    first, reached = train(str(tmp_path))
    second, end = train(str(tmp_path))
    assert (reached, end) == (3, 6)
    assert first[0] == pytest.approx(np.log(3), rel=1e-6)  # of three classes, with weights of zero
    # The same batch with another loss: the variables were restored, and the batch was initialized again.
    assert second[0] != first[0] and np.all(np.isfinite(first + second))
    names = {name for name, _ in tf.train.list_variables(str(tmp_path))}
    assert names == {"weight", "global_step"}
