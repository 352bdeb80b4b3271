"""Functions and classes of 1.x with their arguments from before TensorFlow 1.0."""
import warnings

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree, user_script
from legacy_towers.compat.tf1.pre_1_0 import tables

view = tree.module("tensorflow")
ignores_notices = pytest.mark.filterwarnings("ignore")
ONES = np.ones([1, 3, 3, 1], np.float32)
VOLUME = np.ones([1, 2, 2, 2, 1], np.float32)
KERNEL = np.ones([1, 1, 1, 1], np.float32)
KERNEL_3D = np.ones([1, 1, 1, 1, 1], np.float32)
STEPS, STEPS_3D = [1, 1, 1, 1], [1, 1, 1, 1, 1]


def value(tensor):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        return session.run(tensor)


def found(parent, name):
    for part in name.split("."):
        parent = getattr(parent, part)
    return parent


# Function -> the arguments before `name`.
BEFORE_NAME = {
    "arg_max": ([3, 4, 1], 0),
    "arg_min": ([3, 4, 1], 0),
    "case": lambda: ([(tf.constant(True), lambda: tf.constant(1))], lambda: tf.constant(2), True),
    "clip_by_norm": ([3.0, 4.0], 1.0),
    "cond": lambda: (tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2)),
    "decode_csv": (["1,2"], [[0], [0]], ","),
    "fake_quant_with_min_max_args": ([0.5], -1.0, 1.0),
    "fake_quant_with_min_max_args_gradient": ([0.5], [0.5], -1.0, 1.0),
    "fake_quant_with_min_max_vars": ([0.5], -1.0, 1.0),
    "fake_quant_with_min_max_vars_gradient": ([0.5], [0.5], -1.0, 1.0),
    "fake_quant_with_min_max_vars_per_channel": ([[0.5]], [-1.0], [1.0]),
    "fake_quant_with_min_max_vars_per_channel_gradient": ([[0.5]], [[0.5]], [-1.0], [1.0]),
    "image.non_max_suppression": ([[0.0, 0.0, 1.0, 1.0]], [0.5], 1, 0.5),
    "nn.avg_pool3d": (VOLUME, STEPS_3D, STEPS_3D, "SAME"),
    "nn.conv3d": (VOLUME, KERNEL_3D, STEPS_3D, "SAME"),
    "nn.conv3d_backprop_filter_v2": (VOLUME, [1, 1, 1, 1, 1], VOLUME, STEPS_3D, "SAME"),
    "nn.conv3d_transpose": (VOLUME, KERNEL_3D, [1, 2, 2, 2, 1], STEPS_3D, "SAME"),
    "nn.depthwise_conv2d": (ONES, KERNEL, STEPS, "SAME"),
    "nn.depthwise_conv2d_native": (ONES, KERNEL, STEPS, "SAME"),
    "nn.depthwise_conv2d_native_backprop_filter": (ONES, [1, 1, 1, 1], ONES, STEPS, "SAME"),
    "nn.depthwise_conv2d_native_backprop_input": ([1, 3, 3, 1], KERNEL, ONES, STEPS, "SAME"),
    "nn.embedding_lookup": (ONES[0, :, :, 0], [1]),
    "nn.max_pool3d": (VOLUME, STEPS_3D, STEPS_3D, "SAME"),
    "nn.separable_conv2d": (ONES, KERNEL, KERNEL, STEPS, "SAME"),
    "nn.top_k": ([3.0, 4.0], 1),
}


@ignores_notices
@pytest.mark.parametrize("name", sorted(set(tables.NAME_AT) - {"nn.max_pool_with_argmax"}))
def test_name_by_position(name):
    arguments = BEFORE_NAME[name]
    arguments = arguments() if callable(arguments) else arguments
    assert len(arguments) in tables.NAME_AT[name]
    by_position, by_keyword, expected = (
        call()
        for call in (
            lambda: found(view, name)(*(arguments + ("mine",))),
            lambda: found(view, name)(*arguments, name="yours"),
            lambda: found(tf, name)(*arguments),
        )
    )
    first, second, third = value([by_position, by_keyword, expected])
    for one, two, three in zip(first, second, third) if isinstance(first, (list, tuple)) else [(first, second, third)]:
        np.testing.assert_array_equal(one, three)
        np.testing.assert_array_equal(two, three)
    assert any(operation.name.split("/")[0].startswith("mine") for operation in tf.get_default_graph().get_operations())


def test_arguments_of_1_x_are_passed_unchanged():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        view.nn.max_pool3d(VOLUME, STEPS_3D, STEPS_3D, "SAME", "NDHWC")
        view.nn.embedding_lookup(ONES[0, :, :, 0], [1], "div")
        view.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2), False)
        view.train.ExponentialMovingAverage(0.9, None, True)
        view.variable_scope("scope", "default")
        view.convert_to_tensor([1], tf.float32, "name", tf.float32)
        assert view.nn.top_k([3.0, 4.0], 1, True, "best")[0].op.name == "best"
        view.image.random_crop(ONES[0], [2, 2, 1])
        view.nn.weighted_cross_entropy_with_logits(targets=[1.0], logits=[2.0], pos_weight=1.0)




def sparse():
    return tf.SparseTensor([[0, 0]], [2.0], [1, 2])


KEYWORD_CASES = {
    "conj": (lambda f: f(in_=[1 + 2j]), [1 - 2j]),
    "imag": (lambda f: f(in_=[1 + 2j]), [2.0]),
    "real": (lambda f: f(in_=[1 + 2j]), [1.0]),
    "fft": (lambda f: f(in_=np.array([1, 2], np.complex64)), [3, -1]),
    "ifft": (lambda f: f(in_=np.array([3, -1], np.complex64)), [1, 2]),
    "fft2d": (lambda f: f(in_=np.array([[1, 2]], np.complex64)), [[3, -1]]),
    "ifft2d": (lambda f: f(in_=np.array([[3, -1]], np.complex64)), [[1, 2]]),
    "fft3d": (lambda f: f(in_=np.array([[[1, 2]]], np.complex64)), [[[3, -1]]]),
    "ifft3d": (lambda f: f(in_=np.array([[[3, -1]]], np.complex64)), [[[1, 2]]]),
    "pad": (lambda f: f(input=[1], paddings=[[1, 0]]), [0, 1]),
    "where": (lambda f: f(input=[False, True]), [[1]]),
    "sparse_add": (lambda f: tf.sparse_tensor_to_dense(f(sp_a=sparse(), sp_b=sparse())), [[4.0, 0.0]]),
    "sparse_concat": (
        lambda f: tf.sparse_tensor_to_dense(f(concat_dim=0, sp_inputs=[sparse(), sparse()])), [[2, 0], [2, 0]]
    ),
}


@ignores_notices
@pytest.mark.parametrize("name", sorted(KEYWORD_CASES))
def test_old_keywords(name):
    call, expected = KEYWORD_CASES[name]
    np.testing.assert_allclose(value(call(found(view, name))), expected, rtol=1e-5, atol=1e-5)


BATCHES = {
    "train.batch": dict(tensor_list=[[5, 5]], batch_size=3, enqueue_many=True),
    "train.shuffle_batch": dict(
        tensor_list=[[5, 5]], batch_size=3, capacity=10, min_after_dequeue=1, enqueue_many=True
    ),
    "train.batch_join": dict(tensor_list_list=[[[5, 5]]], batch_size=3, enqueue_many=True),
    "train.shuffle_batch_join": dict(
        tensor_list_list=[[[5, 5]]], batch_size=3, capacity=10, min_after_dequeue=1, enqueue_many=True
    ),
}


@ignores_notices
@pytest.mark.parametrize("name", sorted(BATCHES))
def test_old_keywords_of_batches(name):
    batch = found(view, name)(**BATCHES[name])
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert np.ravel(session.run(batch)).tolist() == [5, 5, 5]
        coordinator.request_stop()
        coordinator.join(threads)


@ignores_notices
def test_old_keywords_of_functions_without_a_value():
    before = tf.logging.get_verbosity()
    view.logging.set_verbosity(verbosity=tf.logging.ERROR)
    assert tf.logging.get_verbosity() == tf.logging.ERROR
    tf.logging.set_verbosity(before)
    assert view.resource_loader.readahead_file_path("path", unused_readahead="1M") == "path"
    with view.variable_op_scope([tf.constant(1)], name="scope", default_name=None):
        assert tf.get_variable("v", [1]).op.name == "scope/v"
    tested = set(KEYWORD_CASES) | set(BATCHES)
    tested |= {"logging.set_verbosity", "resource_loader.readahead_file_path", "variable_op_scope"}
    assert tested == set(tables.KEYWORDS)


@ignores_notices
@pytest.mark.parametrize("call", [
    pytest.param(lambda image, size: view.image.random_crop(image, size, seed=1), id="list"),
    pytest.param(lambda image, size: view.image.random_crop(image, tf.constant(size), seed=1), id="tensor"),
    pytest.param(lambda image, size: view.image.random_crop(image, np.array(size), 1, "crop"), id="array"),
])
def test_random_crop_keeps_the_channels(call):
    image = np.arange(5 * 6 * 3).reshape(5, 6, 3).astype(np.float32)
    cropped = call(image, [2, 3])
    assert cropped.shape.as_list()[2] == 3
    numbers = value(cropped)
    top, left = int(numbers[0, 0, 0]) // 18, int(numbers[0, 0, 0]) % 18 // 3
    np.testing.assert_array_equal(numbers, image[top : top + 2, left : left + 3])


@ignores_notices
def test_random_crop_accepts_unknown_channels():
    image = tf.placeholder(tf.float32, [None, None, None])
    with tf.Session() as session:
        assert session.run(view.image.random_crop(image, [2, 2]), {image: np.ones([4, 4, 7])}).shape == (2, 2, 7)


@ignores_notices
def test_losses_use_the_order_of_1_x_and_report_it(tmp_path, capsys):
    logits, targets = [1.0, -2.0], [0.0, 1.0]
    run = user_script.ScriptRun(str(tmp_path / "train.py"), str(tmp_path))
    (tmp_path / "train.py").write_text(
        "a = view.nn.weighted_cross_entropy_with_logits(targets, logits, 3.0)\n"
        "b = view.nn.log_poisson_loss([3.0, 4.0], logits)\n"
        "c = view.nn.log_poisson_loss(log_input=logits, targets=[3.0, 4.0])\n"
    )
    names = {"view": view, "logits": logits, "targets": targets}
    user_script.begin(run)
    try:
        exec(compile((tmp_path / "train.py").read_text(), run.script, "exec"), names)
    finally:
        user_script.end()
    weighted, poisson, by_name = value([names["a"], names["b"], names["c"]])
    # The results of TensorFlow 0.12.1 with the arguments by name.
    np.testing.assert_allclose(weighted, [1.3132617, 6.380784], rtol=1e-5)
    np.testing.assert_allclose(poisson, [-0.28171825, 8.135335], rtol=1e-5)
    np.testing.assert_allclose(by_name, poisson, rtol=1e-6)
    lines = [line for line in capsys.readouterr().err.splitlines() if "order of 1.x" in line]
    assert len(lines) == 2 and "before 1.0 it was (logits=x, targets=y, ...)" in lines[0]


@ignores_notices
def test_convert_to_tensor_as_ref():
    variable = tf.Variable(1.0, use_resource=False)
    assert view.convert_to_tensor(variable, None, None, True).dtype._is_ref_dtype
    assert view.convert_to_tensor_or_indexed_slices(variable, as_ref=True).dtype._is_ref_dtype
    assert view.convert_to_tensor([1], tf.float32, "name", False).dtype == tf.float32
    assert view.convert_to_tensor([1], as_ref=False, dtype=tf.float64).dtype == tf.float64
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert view.convert_to_tensor_or_indexed_slices(slices, None, None, False) is slices


@ignores_notices
def test_initializers_accept_a_shape_and_the_order_of_0_12():
    assert value(view.zeros_initializer(shape=[2], dtype=tf.int32)).tolist() == [0, 0]
    assert value(view.ones_initializer([2], tf.float32, None)).tolist() == [1, 1]
    old = view.orthogonal_initializer(2.0, tf.float64, 3)
    new = tf.orthogonal_initializer(2.0, seed=3, dtype=tf.float64)
    first, second = value([old([3, 3]), new([3, 3])])
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first.dot(first.T), 4 * np.eye(3), atol=1e-6)
    assert view.orthogonal_initializer(1.0, 3).get_config()["seed"] == 3


@ignores_notices
def test_exponential_moving_average_accepts_its_name_as_third_argument():
    variable = tf.Variable(2.0)
    average = view.train.ExponentialMovingAverage(0.5, None, "shadow")
    update = average.apply([variable])
    assert average.average(variable).op.name == "Variable/shadow"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(variable.assign(4.0))
        session.run(update)
        assert session.run(average.average(variable)) == 3.0


@ignores_notices
def test_fixed_length_record_reader_accepts_its_name_as_fourth_argument(tmp_path):
    (tmp_path / "data").write_bytes(b"headAABB")
    reader = view.FixedLengthRecordReader(2, 4, 0, "reader")
    assert reader.reader_ref.op.name == "reader"
    with tf.Session() as session:
        queue = tf.FIFOQueue(1, tf.string, [[]])
        session.run(queue.enqueue([str(tmp_path / "data")]))
        _, record = reader.read(queue)
        assert [session.run(record), session.run(record)] == [b"AA", b"BB"]


@ignores_notices
def test_variable_scope_accepts_reuse_as_second_argument():
    with view.variable_scope("layer"):
        first = tf.get_variable("w", [1])
    with view.variable_scope("layer", True):
        assert tf.get_variable("w", [1]) is first
    with view.variable_scope("layer", False, tf.ones_initializer()):
        assert value(tf.get_variable("ones", [1])).tolist() == [1.0]
    with view.variable_scope(None, "default") as scope:
        assert scope.name == "default"


def sync_replicas(make):
    step = tf.train.get_or_create_global_step()
    variable = tf.Variable(1.0)
    optimizer = make(tf.train.GradientDescentOptimizer(0.5))
    train = optimizer.minimize(variable * 3.0, global_step=step)
    coordinator = tf.train.Coordinator()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(optimizer.chief_init_op)
        assert session.run(optimizer.ready_for_local_init_op).size == 0  # no uninitialized variables
        # The chief's thread applies the gradient and enqueues the token that the step waits for.
        optimizer.get_chief_queue_runner().create_threads(session, coordinator, daemon=True, start=True)
        session.run(train, options=tf.RunOptions(timeout_in_ms=60000))
        trained = session.run(variable)
        coordinator.request_stop()
        session.run(optimizer.get_clean_up_op())
    return optimizer, trained


@ignores_notices
@pytest.mark.parametrize("make", [
    pytest.param(
        lambda o: view.train.SyncReplicasOptimizer(o, replicas_to_aggregate=1, replica_id=0, total_num_replicas=1),
        id="by name",
    ),
    pytest.param(lambda o: view.train.SyncReplicasOptimizer(o, 1, None, None, 0, 1), id="by position"),
    pytest.param(lambda o: view.train.SyncReplicasOptimizer(o, 1, replica_id=0), id="without total_num_replicas"),
    pytest.param(lambda o: view.train.SyncReplicasOptimizer(o, 1, 1), id="of 1.x"),
])
def test_sync_replicas_optimizer(make):
    optimizer, trained = sync_replicas(make)
    assert trained == 1.0 - 0.5 * 3.0
    assert isinstance(optimizer, tf.train.SyncReplicasOptimizer)


@ignores_notices
def test_sync_replicas_optimizer_has_a_clean_up_op():
    optimizer = view.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 1, replica_id=0)
    with pytest.raises(ValueError, match="call that first"):
        optimizer.get_clean_up_op()
    optimizer.minimize(tf.Variable(1.0) * 3.0, global_step=tf.train.get_or_create_global_step())
    clean_up = optimizer.get_clean_up_op()
    with tf.Session() as session:
        assert session.run(optimizer.ready_for_local_init_op).size > 0
        session.run(clean_up)
        with pytest.raises((tf.errors.CancelledError, tf.errors.OutOfRangeError)):
            session.run(optimizer._sync_token_queue.dequeue())


def test_flags_accept_the_keywords_of_0_12():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flags = tree.module("tensorflow.app").flags
        flags.DEFINE_integer(flag_name="pre_1_0_number", default_value=3, docstring="a number")
    flags.FLAGS(["program"])
    assert flags.FLAGS.pre_1_0_number == 3
