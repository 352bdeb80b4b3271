"""tf.contrib.slim as scripts use it; on TensorFlow 1.15 the same tests check TensorFlow's own."""
import os

import numpy as np
import pytest

from legacy_towers.compat import tf

slim = tf.contrib.slim


def test_training_loop_with_checkpoints_summaries_and_evaluation(tmp_path):
    folder, eval_folder = str(tmp_path / "train"), str(tmp_path / "eval")
    rng = np.random.RandomState(1)
    images = rng.uniform(-1.0, 1.0, [64, 4]).astype(np.float32)
    labels = (images.sum(1) > 0).astype(np.int64)

    def net(images, is_training):
        with slim.arg_scope(
            [slim.fully_connected],
            weights_regularizer=slim.l2_regularizer(1e-4),
            normalizer_fn=slim.batch_norm,
            normalizer_params={"is_training": is_training, "decay": 0.5},
        ):
            hidden = slim.fully_connected(images, 8, scope="hidden")
            return slim.fully_connected(hidden, 2, activation_fn=None, normalizer_fn=None, scope="logits")

    tf.set_random_seed(1)
    logits = net(tf.constant(images), True)
    slim.losses.softmax_cross_entropy(logits, slim.one_hot_encoding(labels, 2))
    total = slim.losses.get_total_loss()
    tf.summary.scalar("loss", total)
    step = slim.get_or_create_global_step()
    train_op = slim.learning.create_train_op(
        total, tf.train.MomentumOptimizer(0.1, 0.9), global_step=step, clip_gradient_norm=4, summarize_gradients=True
    )
    last = slim.learning.train(
        train_op, folder, number_of_steps=60, log_every_n_steps=20, save_summaries_secs=1, save_interval_secs=600,
        session_config=tf.ConfigProto(allow_soft_placement=True), saver=tf.train.Saver(max_to_keep=2),
    )  # fmt: skip
    assert last < 0.4
    assert tf.train.latest_checkpoint(folder).endswith("model.ckpt-60")
    moving = tf.train.load_variable(folder, "hidden/BatchNorm/moving_variance")
    assert np.all(np.abs(moving - 1.0) > 1e-3)  # the updates ran: the initial value is 1

    with tf.Graph().as_default():
        predictions = tf.argmax(net(tf.constant(images), False), 1)
        slim.get_or_create_global_step()
        to_values, to_updates = slim.metrics.aggregate_metric_map({
            "Accuracy": slim.metrics.streaming_accuracy(predictions, labels),
            "Recall_5": slim.metrics.streaming_recall(predictions, labels),
        })  # fmt: skip
        for name, value in to_values.items():
            tf.summary.scalar("eval/" + name, value)
        arguments = dict(
            num_evals=2, eval_op=list(to_updates.values()), final_op=to_values, logdir=eval_folder,
            variables_to_restore=slim.get_variables_to_restore(),
        )  # fmt: skip
        once = slim.evaluation.evaluate_once("", tf.train.latest_checkpoint(folder), **arguments)
        loop = slim.evaluation.evaluation_loop(
            "", folder, max_number_of_evaluations=1, eval_interval_secs=0, timeout=1, **arguments
        )
    assert once == loop
    assert once["Accuracy"] > 0.9 and once["Recall_5"] > 0.8
    assert any(name.startswith("events") for name in os.listdir(eval_folder))


def test_fine_tuning_from_a_checkpoint(tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        slim.fully_connected(tf.ones([1, 3]), 2, scope="net/fc1")
        slim.fully_connected(tf.ones([1, 3]), 5, scope="net/logits")
        session.run(tf.global_variables_initializer())
        saved = session.run(slim.get_variables_by_name("weights", "net/fc1")[0])
        tf.train.Saver().save(session, path)
    slim.fully_connected(tf.ones([1, 3]), 2, scope="net/fc1")
    slim.fully_connected(tf.ones([1, 3]), 7, scope="net/logits")
    tf.Variable(1.0, name="other")
    restored = slim.get_variables_to_restore(exclude=["net/logits", "other"])
    assert [each.op.name for each in restored] == ["net/fc1/weights", "net/fc1/biases"]
    init = slim.assign_from_checkpoint_fn(path, restored, ignore_missing_vars=True)
    op, feeds = slim.assign_from_checkpoint(path, {"net/fc1/weights": slim.get_unique_variable("net/fc1/weights")})
    by_value = slim.assign_from_values_fn({"other": np.array(3.0)})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        init(session)
        np.testing.assert_array_equal(session.run("net/fc1/weights:0"), saved)
        session.run(op, feeds)
        by_value(session)
        assert session.run("other:0") == 3.0


def test_variables_devices_and_collections():
    chooser = slim.VariableDeviceChooser(num_tasks=2)
    with slim.arg_scope([slim.variable, slim.model_variable], device=chooser):
        one = slim.model_variable("one", [2], regularizer=slim.l2_regularizer(0.5),
                                  initializer=tf.ones_initializer())  # fmt: skip
        two = slim.variable("two", [3], initializer=tf.zeros_initializer())
    three = slim.local_variable(4.0, name="three")
    four = slim.global_variable(5.0, name="four")
    assert [one.device, two.device] == ["/job:ps/task:0/device:CPU:0"] * 2
    assert slim.get_model_variables() == [one]
    assert slim.get_variables() == [one, two, four]
    assert slim.get_local_variables() == [three]
    assert slim.get_trainable_variables() == [one, two]
    assert slim.get_variables_by_suffix("wo") == [two]
    assert slim.get_variable_full_name(one) == "one"
    assert slim.filter_variables([one, two, four], include_patterns=["o"], exclude_patterns=["tw"]) == [one, four]
    assert len(slim.losses.get_regularization_losses()) == 1
    slim.add_model_variable(two)
    assert slim.get_model_variables() == [one, two]


def test_arg_scopes_nest_and_can_be_reused():
    @slim.add_arg_scope
    def layer(x, width=1, name="none"):
        return (x, width, name)

    with slim.arg_scope([layer, slim.conv2d, slim.batch_norm], outputs_collections="ends"):
        pass
    with slim.arg_scope([layer], width=2) as outer:
        assert layer(0) == (0, 2, "none")
        with slim.arg_scope([layer], name="inner"):
            assert layer(0, width=3) == (0, 3, "inner")
            assert slim.arg_scoped_arguments(layer) == ("width", "name")
    with slim.arg_scope(outer):
        assert layer(1) == (1, 2, "none")
    assert layer(1) == (1, 1, "none")
    assert slim.has_arg_scope(layer) and not slim.has_arg_scope(len)
    with pytest.raises(ValueError, match="not decorated"):
        with slim.arg_scope([len], width=1):
            pass


def write_examples(folder):
    """Writes two TFRecord files with three examples each; returns the file pattern."""
    for number in range(2):
        with tf.python_io.TFRecordWriter(os.path.join(folder, "train_%d.tfrecord" % number)) as writer:
            for index in range(3):
                value = 3 * number + index
                image = np.full([4, 5, 3], 10 * value, np.uint8)
                with tf.Graph().as_default(), tf.Session() as session:
                    encoded = session.run(tf.image.encode_png(image))
                feature = {
                    "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[encoded])),
                    "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"png"])),
                    "image/class/label": tf.train.Feature(int64_list=tf.train.Int64List(value=[value])),
                    "box/ymin": tf.train.Feature(float_list=tf.train.FloatList(value=[0.1] * index)),
                    "box/xmin": tf.train.Feature(float_list=tf.train.FloatList(value=[0.2] * index)),
                    "box/ymax": tf.train.Feature(float_list=tf.train.FloatList(value=[0.3] * index)),
                    "box/xmax": tf.train.Feature(float_list=tf.train.FloatList(value=[0.4] * index)),
                    "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"c"])),
                    "shape": tf.train.Feature(int64_list=tf.train.Int64List(value=[2, 1])),
                    "flat": tf.train.Feature(float_list=tf.train.FloatList(value=[value, -value])),
                }
                writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return os.path.join(folder, "train_*")


def dataset_of(folder):
    handlers = slim.tfexample_decoder
    keys_to_features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="raw"),
        "image/class/label": tf.FixedLenFeature([], tf.int64),
        "words": tf.FixedLenFeature([2], tf.string),
        "shape": tf.FixedLenFeature([2], tf.int64),
        "flat": tf.FixedLenFeature([2], tf.float32),
    }
    for side in ("ymin", "xmin", "ymax", "xmax"):
        keys_to_features["box/" + side] = tf.VarLenFeature(tf.float32)
    words = tf.contrib.lookup.index_table_from_tensor(["a", "b", "c"]) if hasattr(tf.contrib, "lookup") else None
    items = {
        "image": handlers.Image("image/encoded", "image/format", shape=[4, 5, 3]),
        "label": handlers.Tensor("image/class/label", shape=[]),
        "boxes": handlers.BoundingBox(["ymin", "xmin", "ymax", "xmax"], "box/"),
        "flat": handlers.Tensor("flat", shape_keys="shape"),
        "sum": handlers.ItemHandlerCallback(["flat"], lambda tensors: tf.reduce_sum(tensors["flat"])),
    }
    if words is not None:
        items["words"] = handlers.LookupTensor("words", words)
    return slim.dataset.Dataset(
        data_sources=write_examples(folder),
        reader=tf.TFRecordReader,
        decoder=handlers.TFExampleDecoder(keys_to_features, items),
        num_samples=6,
        items_to_descriptions={"image": "An image.", "label": "A number."},
        num_classes=6,
        labels_to_names=None,
    )


def test_dataset_provider_batches_and_prefetch_queue(tmp_path):
    dataset = dataset_of(str(tmp_path))
    assert (dataset.num_samples, dataset.num_classes) == (6, 6)
    with tf.device("/cpu:0"):
        provider = slim.dataset_data_provider.DatasetDataProvider(
            dataset, num_readers=2, common_queue_capacity=20, common_queue_min=2, shuffle=False, num_epochs=1
        )
        assert {"image", "label", "boxes", "flat"} <= set(provider.list_items())
        image, label, boxes, flat = provider.get(["image", "label", "boxes", "flat"])
        assert image.shape.as_list() == [4, 5, 3]
        images, labels, counts, flats = tf.train.batch(
            [image, label, tf.shape(boxes)[0], tf.reshape(flat, [2])], batch_size=2, num_threads=1, capacity=10,
            allow_smaller_final_batch=True,
        )  # fmt: skip
        one_hot = slim.one_hot_encoding(labels, dataset.num_classes)
        queue = slim.prefetch_queue.prefetch_queue([images, one_hot, counts, flats], capacity=2, dynamic_pad=True)
    fetched = queue.dequeue()
    seen = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        with slim.queues.QueueRunners(session):
            try:
                while True:
                    some_images, some_labels, some_counts, some_flats = session.run(fetched)
                    for image, label, count, flat in zip(some_images, some_labels, some_counts, some_flats):
                        number = int(np.argmax(label))
                        assert np.all(image == 10 * number) and count == number % 3
                        np.testing.assert_array_equal(flat, [number, -number])
                        seen.append(number)
            except tf.errors.OutOfRangeError:
                pass
    assert sorted(seen) == list(range(6))


def test_record_keys_and_decoder(tmp_path):
    dataset = dataset_of(str(tmp_path))
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, shuffle=True, seed=3, record_key="key")
    key, label = provider.get(["key", "label"])
    path = os.path.join(str(tmp_path), "train_0.tfrecord")
    serialized = next(iter(tf.python_io.tf_record_iterator(path)))
    decoder = dataset.decoder
    names = sorted(decoder.list_items())
    decoded = dict(zip(names, decoder.decode(tf.constant(serialized), items=names)))
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        with slim.queues.QueueRunners(session):
            found = [session.run([key, label]) for _ in range(12)]
        assert all(b"train_" in each for each, _ in found) and {each for _, each in found} <= set(range(6))
        values = session.run(decoded)
    assert values["image"].shape == (4, 5, 3) and values["label"] == 0
    assert values["flat"].shape == (2, 1) and values["boxes"].shape == (0, 4) and values["sum"] == 0.0
    if "words" in values:
        assert list(values["words"]) == [0, 2]


def test_data_provider_of_tensors_and_parallel_reader(tmp_path):
    provider = slim.data_provider.DataProvider({"a": tf.constant(1), "b": tf.constant(2)}, ["a", "b"])
    assert [each.op.type for each in provider.get(["b", "a"])] == ["Const", "Const"]
    pattern = write_examples(str(tmp_path))
    key, value = slim.parallel_reader.parallel_read(pattern, tf.TFRecordReader, num_epochs=1, num_readers=2)
    _, single = slim.parallel_reader.single_pass_read(pattern, tf.TFRecordReader)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        with slim.queues.QueueRunners(session):
            for values in (value, single):
                count = 0
                try:
                    while True:
                        session.run(values)
                        count += 1
                except tf.errors.OutOfRangeError:
                    assert count == 6


def test_summaries_and_model_analyzer(capsys):
    net = slim.fully_connected(tf.ones([2, 3]), 4, scope="fc")
    made = [
        slim.summaries.add_histogram_summary(net),
        slim.summaries.add_scalar_summary(tf.reduce_sum(net), "sum", prefix="eval", print_summary=True),
        slim.summaries.add_zero_fraction_summary(net),
    ]
    slim.summaries.add_histogram_summaries(slim.get_model_variables())
    assert all(each is not None for each in made)
    assert tf.get_collection(tf.GraphKeys.SUMMARIES)
    total, size = slim.model_analyzer.analyze_vars(tf.trainable_variables(), print_info=True)
    assert (total, size) == (16, 64)
    assert "fc/weights" in capsys.readouterr().out


def test_train_step_fn(tmp_path):
    """Checks that train_step_fn gets session, train_op, step and arguments, and that init_fn runs first."""
    seen = []

    def step_fn(session, train_op, global_step, arguments):
        loss, should_stop = slim.learning.train_step(session, train_op, global_step, arguments)
        seen.append(float(loss))
        return loss, should_stop or len(seen) == 3

    weights = tf.get_variable("w", [], initializer=tf.zeros_initializer(), use_resource=True)
    initialize = weights.assign(3.0).op
    train_op = slim.learning.create_train_op(
        tf.square(weights - 1.0), tf.train.GradientDescentOptimizer(0.25), gradient_multipliers={weights: 2.0}
    )
    slim.learning.train(
        train_op, None, train_step_fn=step_fn, save_summaries_secs=0,
        init_fn=lambda session: session.run(initialize),
    )  # fmt: skip
    np.testing.assert_allclose(seen, [4.0, 0.0, 0.0], atol=1e-7)


def test_clones_as_in_model_deploy():
    """Builds clones in one variable scope; losses and updates are collected by the name scope of the clone."""
    images = tf.constant(np.linspace(-1.0, 1.0, 2 * 8 * 3).reshape(2, 4, 2, 1, 3)[:, :, :, 0], tf.float32)
    queue = slim.prefetch_queue.prefetch_queue([images[0]], capacity=2)
    losses, clones = [], []
    optimizer = tf.train.GradientDescentOptimizer(0.1)

    def clone_fn(batch_queue):
        batch = batch_queue.dequeue()
        with slim.arg_scope([slim.fully_connected], weights_regularizer=slim.l2_regularizer(0.1)):
            net = slim.fully_connected(slim.flatten(batch), 3, normalizer_fn=slim.batch_norm, scope="fc")
        end_points = {"Logits": net}
        slim.losses.softmax_cross_entropy(net, tf.ones_like(net) / 3.0, label_smoothing=0.1, weights=1.0)
        return end_points

    for index in range(2):
        with tf.name_scope("clone_%d" % index if index else "clone_0") as scope:
            with tf.device("/cpu:0"), slim.arg_scope(
                [slim.model_variable, slim.variable], device=lambda op: "/cpu:0"
            ):
                with tf.variable_scope(tf.get_variable_scope(), reuse=True if index > 0 else None):
                    clones.append((clone_fn(queue), scope))
    for _, scope in clones:
        found = tf.get_collection(tf.GraphKeys.LOSSES, scope)
        assert len(found) == 1
        losses.append(tf.add_n(found) / 2.0)
    gradients = [optimizer.compute_gradients(loss) for loss in losses]
    summed = [(tf.add_n([one[0], other[0]]), one[1]) for one, other in zip(*gradients)]
    train_op = optimizer.apply_gradients(summed, slim.create_global_step())
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS, clones[0][1])) == 2
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 4
    assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 1
    assert [each.op.name for each in tf.trainable_variables()] == ["fc/weights", "fc/BatchNorm/beta"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with slim.queues.QueueRunners(session):
            with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS) + [train_op]):
                session.run(tf.no_op())
