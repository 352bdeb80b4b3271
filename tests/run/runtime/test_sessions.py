"""The sessions and servers of a script, and the configs that they are created with."""
import subprocess

import numpy as np
import ports
import preloaded
import pytest
from run.runtime.prepared import script

from legacy_towers.compat import tf as real
from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.versions.session import config_of, is_closed
from legacy_towers.run.bottleneck import watch
from legacy_towers.run.runtime import sessions


def by_session(tf, config):
    with tf.Session(config=config) as session:
        yield session


def by_position(tf, config):
    with tf.Session("", tf.get_default_graph(), config) as session:
        yield session


def by_interactive_session(tf, config):
    session = tf.InteractiveSession(config=config)
    yield session
    session.close()


def by_monitored_training_session(tf, config):
    with tf.train.MonitoredTrainingSession(config=config) as session:
        yield session


def by_singular_monitored_session(tf, config):
    with tf.train.SingularMonitoredSession(config=config) as session:
        yield session


def by_monitored_session(tf, config):
    creator = tf.train.ChiefSessionCreator(config=config)
    with tf.train.MonitoredSession(creator) as session:
        yield session


def by_managed_session(tf, config):
    with tf.train.Supervisor(logdir=None, summary_op=None).managed_session(config=config) as session:
        yield session


def by_prepare_or_wait_for_session(tf, config):
    supervisor = tf.train.Supervisor(logdir=None, summary_op=None)
    session = supervisor.prepare_or_wait_for_session(config=config)
    yield session
    supervisor.stop()
    session.close()


def by_session_manager(tf, config):
    with tf.train.SessionManager().prepare_session("", tf.global_variables_initializer(), config=config) as session:
        yield session


CREATORS = [
    by_session, by_position, by_interactive_session, by_monitored_training_session, by_singular_monitored_session,
    by_monitored_session, by_managed_session, by_prepare_or_wait_for_session, by_session_manager,
]
OPTIONS = "--allow-growth --memory-fraction 0.5 --intra-op-threads 3 --inter-op-threads 2 --num-devices 3"


@pytest.mark.parametrize("own", [False, True], ids=["no-config", "own-config"])
@pytest.mark.parametrize("creator_function", CREATORS, ids=lambda creator_function: creator_function.__name__)
def test_each_session_class_merges_the_options_with_the_scripts_config(creator_function, own):
    with script(OPTIONS) as (tf, run), tf.Graph().as_default():
        runtime = run.runtime
        tf.train.get_or_create_global_step()
        given = tf.ConfigProto(log_device_placement=False, intra_op_parallelism_threads=9) if own else None
        if own:
            given.gpu_options.visible_device_list = "0"
        before = given.SerializeToString() if own else None
        for session in creator_function(tf, given):
            config = config_of(session)
    assert config.allow_soft_placement
    assert config.gpu_options.allow_growth and config.gpu_options.per_process_gpu_memory_fraction == 0.5
    assert (config.intra_op_parallelism_threads, config.inter_op_parallelism_threads) == (3, 2)
    assert config.device_count["CPU"] == 3
    if own:
        assert config.gpu_options.visible_device_list == "0"
        if creator_function is not by_interactive_session:  # TensorFlow itself changes this config
            assert given.SerializeToString() == before
    (created,) = runtime.sessions
    assert created.place.path.endswith("test_sessions.py") and created.target == ""
    assert created.kind == ("InteractiveSession" if creator_function is by_interactive_session else "Session")


@pytest.mark.parametrize("gpus", [0, 2])
def test_without_options_only_soft_placement_and_logical_cpus_are_added(gpus):
    with script("", gpus) as (tf, _), tf.Graph().as_default():
        with tf.device("/gpu:1"):
            tf.constant(1.0)
        config = tf.ConfigProto(inter_op_parallelism_threads=5, device_count={"GPU": 0})
        with tf.Session(config=config) as session:
            merged = config_of(session)
    expected = tf.ConfigProto(
        inter_op_parallelism_threads=5,
        device_count={"GPU": 0} if gpus else {"GPU": 0, "CPU": 2},
        allow_soft_placement=True,
    )
    assert merged == expected


@pytest.mark.parametrize("own, expected", [(8, 8), (1, 3)])
def test_a_session_has_at_least_the_devices_that_the_script_names(own, expected):
    with script() as (tf, _), tf.Graph().as_default():
        with tf.device("/gpu:2"):
            tf.constant(1.0)
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": own})) as session:
            names = [each.name for each in session.list_devices() if each.device_type == "CPU"]
    assert len(names) == expected


def test_slim_learning_train_uses_the_options(tmp_path):
    with script("--inter-op-threads 2") as (tf, run), tf.Graph().as_default():
        runtime = run.runtime
        slim = tf.contrib.slim
        step = tf.train.get_or_create_global_step()
        with tf.device("/gpu:1"):
            loss = tf.cast(tf.assign_add(step, 1), tf.float32)
        slim.learning.train(
            loss, str(tmp_path), number_of_steps=2, global_step=step, session_config=tf.ConfigProto(),
            save_summaries_secs=None, summary_op=None,
        )
    configs = [real.ConfigProto.FromString(created.config) for created in runtime.sessions]
    assert [(each.inter_op_parallelism_threads, each.device_count["CPU"]) for each in configs] == [(2, 2)]


def test_soft_placement_is_always_enabled():
    with script() as (tf, _), tf.Graph().as_default():
        with tf.device("/device:TPU:0"):
            value = tf.constant(3.0) * 2.0
        with tf.Session() as session:
            assert session.run(value) == 6.0


def test_a_session_created_before_the_towers_prints_the_option_to_use(capsys):
    with script() as (tf, _), tf.Graph().as_default():
        tf.constant(0.0)
        session = tf.InteractiveSession()
        with tf.device("/gpu:1"):
            value = tf.constant(3.0) * 2.0
        assert value.eval() == 6.0
        session.close()
    printed = capsys.readouterr().err
    assert "a session was created before the script named its device 1 and has 1 CPU device: operations of" in printed
    assert "--num-devices 2 gives each device its own" in printed


def test_num_devices_sets_the_devices_of_a_session_created_first(capsys):
    with script("--num-devices 2") as (tf, _), tf.Graph().as_default():
        tf.constant(0.0)
        with tf.Session() as session:
            with tf.device("/gpu:1"):
                value = tf.constant(3.0) * 2.0
            assert session.run(value) == 6.0
    assert "was created before" not in capsys.readouterr().err


def test_options_that_contradict_the_scripts_config_end_the_script(capsys):
    with pytest.raises(SystemExit) as end, script("--inter-op-threads -1") as (tf, _), tf.Graph().as_default():
        tf.Session(config=tf.ConfigProto(use_per_session_threads=True))
    assert end.value.code == 2
    assert "per_session_threads=True contradicts inter_op_threads=-1" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, error",
    [
        (lambda tf: [tf.ConfigProto()], "Did you do \"Session\\(config\\)\""),
        (lambda tf: ["", "graph"], "must be a tf.Graph"),
        (lambda tf: ["", None, "config"], "must be a tf.ConfigProto"),
    ],
)
def test_wrong_arguments_raise_tensorflows_error(arguments, error):
    with script("--num-devices 2") as (tf, _), tf.Graph().as_default():
        tf.constant(1.0)
        with pytest.raises(TypeError, match=error):
            tf.Session(*arguments(tf))


def test_session_methods_behave_as_in_tensorflow():
    with script("--timeout-steps 100") as (tf, _), tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.identity(2.0 * x, name="y")
        session = tf.Session()
        assert isinstance(session, tf.Session) and isinstance(session, real.Session) and session.graph is graph
        assert not isinstance(session, tf.InteractiveSession)
        assert session.run("y:0", {"x:0": 3.0}) == 6.0
        assert session.run({"a": [y, (x,)]}, feed_dict={x: 1.0}) == {"a": [2.0, (1.0,)]}
        assert session.make_callable(y, [x])(4.0) == 8.0
        with session.as_default():
            assert tf.get_default_session() is session and y.eval({x: 5.0}) == 10.0
        handle = session.partial_run_setup([y], [x])
        assert session.partial_run(handle, y, {x: 6.0}) == 12.0
        options, metadata = tf.RunOptions(output_partition_graphs=True), tf.RunMetadata()
        session.run(y, {x: 1.0}, options=options, run_metadata=metadata)
        assert metadata.partition_graphs
        session.close()
        assert is_closed(session)
        with pytest.raises(RuntimeError, match="closed Session"):
            session.run(y, {x: 1.0})


def test_subclasses_of_session_work():
    with script("--timeout-steps 10") as (tf, _), tf.Graph().as_default():

        class Twice(tf.Session):
            def run(self, fetches, *arguments, **keywords):
                return [super(Twice, self).run(fetches, *arguments, **keywords) for _ in range(2)]

        with Twice() as session:
            assert isinstance(session, tf.Session) and session.run(tf.constant(3)) == [3, 3]
        with tf.Session() as plain:
            assert not isinstance(plain, Twice)


def test_sessions_created_by_tensorflow_are_instances_of_session():
    with script() as (tf, _):
        with real.Session(graph=real.Graph()) as session:
            assert isinstance(session, tf.Session) and not isinstance(session, tf.InteractiveSession)


def test_after_the_run_tensorflow_creates_its_own_sessions():
    with script() as (tf, _):
        ours = tf.Session
    manager = real.train.SessionManager()
    real.constant(1.0)
    with manager.prepare_session("", real.no_op()) as session:
        assert type(session) is real.Session and ours is not real.Session


def test_without_a_run_sessions_and_devices_are_unchanged():
    from legacy_towers.compat.tf1 import tree

    tf = tree.module("tensorflow")
    with tf.Graph().as_default():
        with tf.device("/gpu:1"):
            value = tf.constant(1.0)
        assert value.device == "/device:GPU:1"
        with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=2)) as session:
            config = config_of(session)
    assert not config.allow_soft_placement and config.inter_op_parallelism_threads == 2


def test_a_server_and_its_sessions_use_the_options(capsys):
    with script("--intra-op-threads 1 --num-devices 2") as (tf, run), tf.Graph().as_default():
        runtime = run.runtime
        cluster = tf.train.ClusterSpec({"worker": ["localhost:0"]})
        server = tf.train.Server(cluster, job_name="worker", task_index=0)
        assert isinstance(server, real.train.Server)
        with tf.device("/job:worker/task:0/gpu:1"):
            weight = tf.get_variable("w", [3], initializer=tf.ones_initializer())
            total = tf.reduce_sum(weight * [1.0, 2.0, 3.0])
        with tf.Session(server.target) as session:
            session.run(tf.global_variables_initializer())
            assert session.run(total) == 6.0
            names = [each.name for each in session.list_devices() if each.device_type == "CPU"]
    assert total.device == "/job:worker/task:0/device:CPU:1"
    assert len(names) == 2 and server.server_def.default_session_config.intra_op_parallelism_threads == 1
    assert [(each.kind, bool(each.target)) for each in runtime.sessions] == [("Server", True), ("Session", True)]
    assert "was created before" not in capsys.readouterr().err


def test_a_server_created_before_the_towers_prints_the_option_to_use(capsys):
    with script() as (tf, _), tf.Graph().as_default():
        server = tf.train.Server.create_local_server()
        with tf.device("/gpu:1"):
            value = tf.constant(1.0) + 1.0
        with tf.Session(server.target) as session:
            assert session.run(value) == 2.0
    assert "the server was created before the script named its device 1" in capsys.readouterr().err


def test_the_job_of_a_local_server_is_named_local():
    with script() as (tf, _), tf.Graph().as_default():
        server = tf.train.Server.create_local_server()
        with tf.device("/job:local/task:0"):
            value = tf.constant(1.0) + 1.0
        with tf.Session(server.target) as session:
            assert session.run(value) == 2.0
        assert server.server_def.job_name == "local"


@pytest.mark.parametrize("level", ["ON_1", "ON_2", "OFF"])
def test_global_jit_level_is_accepted(level):
    with script() as (tf, _), tf.Graph().as_default():
        config = tf.ConfigProto()
        config.graph_options.optimizer_options.global_jit_level = getattr(tf.OptimizerOptions, level)
        with tf.device("/gpu:0"):
            value = tf.matmul(tf.ones([2, 3]), tf.ones([3, 2])) + 1.0
        with tf.Session(config=config) as session:
            np.testing.assert_array_equal(session.run(value), np.full([2, 2], 4.0))


def test_functions_of_tf_test_report_the_same_gpus():
    with script() as (tf, _):
        assert tf.test.is_gpu_available() == real.test.is_gpu_available()
        assert tf.test.gpu_device_name() == real.test.gpu_device_name()


@pytest.mark.parametrize("is_watched", [False, True])
def test_a_feed_of_numbers_and_one_element_arrays_is_accepted(is_watched):
    with script() as (tf, run), tf.Graph().as_default():
        run.runtime.watch = watch.Watch() if is_watched else None
        with tf.Session() as session:
            placeholder = tf.placeholder(tf.float32, [None])
            targets = [np.array([0.5], np.float32), 0.0, np.array([[2.0]])]
            for _ in range(2):
                assert session.run(placeholder * 2.0, {placeholder: targets}).tolist() == [1.0, 0.0, 4.0]
            with pytest.raises(ValueError):
                session.run(placeholder, {placeholder: [np.array([1.0, 2.0]), 0.0]})
        notices = [notice for notice in run.notices if "one element" in notice.name]
        # One notice per line of this file. The numpy of TensorFlow 1.15 converts such a list itself.
        assert len(notices) == (0 if tree.is_1_15() else 2)
        assert not is_watched or len(run.runtime.watch.runs) == 2


# The other task of a cluster of two, which ends when its input does.
PEER = """
import sys
from legacy_towers.compat import tf
server = tf.train.Server({"worker": sys.argv[1:]}, "worker", 1)
print("started", flush=True)
sys.stdin.read()
"""


def test_closing_a_session_does_not_wait_for_a_task_that_has_ended(monkeypatch, capsys):
    monkeypatch.setattr(sessions, "_CLOSE_SECONDS", 0.5)
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with ports.held(2) as addresses:
        with subprocess.Popen([preloaded.executable(), "-c", PEER] + addresses, **pipes) as peer:
            assert peer.stdout.readline() == b"started\n"
            with script() as (tf, _):
                server = tf.train.Server({"worker": addresses}, "worker", 0)
                with tf.device("/job:worker/task:1"):
                    two = tf.constant(1.0) + 1.0
                session = tf.Session(server.target)
                assert session.run(two) == 2.0
                peer.stdin.close()
                assert peer.wait() == 0
                session.close()
                with pytest.raises(RuntimeError, match="closed"):
                    session.run(two)
    if real.__version__.startswith("1.15"):  # 2.x gets an error where nothing listens
        assert "grpc://{} has not closed within 0.5 seconds".format(addresses[0]) in capsys.readouterr().err
