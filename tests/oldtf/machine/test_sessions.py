"""Sessions that a script makes, in any way, and what they are made with."""
import numpy as np
import pytest
from oldtf.machine.prepared import script

from legacy_towers.compat import tf as real
from legacy_towers.compat.session import config_of, is_closed
from legacy_towers.oldtf import tree
from legacy_towers.oldtf.bottleneck import watch


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


MAKERS = [
    by_session, by_position, by_interactive_session, by_monitored_training_session, by_singular_monitored_session,
    by_monitored_session, by_managed_session, by_prepare_or_wait_for_session, by_session_manager,
]
WORDS = "--allow-growth --memory-fraction 0.5 --intra-op-threads 3 --inter-op-threads 2 --num-devices 3"


@pytest.mark.parametrize("own", [False, True], ids=["no-config", "own-config"])
@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_every_maker_gets_the_options_and_keeps_the_scripts_own(maker, own):
    with script(WORDS) as (tf, run), tf.Graph().as_default():
        machine = run.machine
        tf.train.get_or_create_global_step()
        given = tf.ConfigProto(log_device_placement=False, intra_op_parallelism_threads=9) if own else None
        if own:
            given.gpu_options.visible_device_list = "0"
        before = given.SerializeToString() if own else None
        for session in maker(tf, given):
            config = config_of(session)
    assert config.allow_soft_placement
    assert config.gpu_options.allow_growth and config.gpu_options.per_process_gpu_memory_fraction == 0.5
    assert (config.intra_op_parallelism_threads, config.inter_op_parallelism_threads) == (3, 2)
    assert config.device_count["CPU"] == 3
    if own:
        assert config.gpu_options.visible_device_list == "0"
        if maker is not by_interactive_session:  # TensorFlow itself writes into that one
            assert given.SerializeToString() == before
    (made,) = machine.made
    assert made.place.path.endswith("test_sessions.py") and made.target == ""
    assert made.kind == ("InteractiveSession" if maker is by_interactive_session else "Session")


@pytest.mark.parametrize("gpus", [0, 2])
def test_without_options_only_soft_placement_and_room_for_towers_are_added(gpus):
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
def test_a_session_has_at_least_the_devices_that_were_named(own, expected):
    with script() as (tf, _), tf.Graph().as_default():
        with tf.device("/gpu:2"):
            tf.constant(1.0)
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": own})) as session:
            names = [each.name for each in session.list_devices() if each.device_type == "CPU"]
    assert len(names) == expected


def test_slims_training_loop_gets_the_options(tmp_path):
    with script("--inter-op-threads 2") as (tf, run), tf.Graph().as_default():
        machine = run.machine
        slim = tf.contrib.slim
        step = tf.train.get_or_create_global_step()
        with tf.device("/gpu:1"):
            loss = tf.cast(tf.assign_add(step, 1), tf.float32)
        slim.learning.train(
            loss, str(tmp_path), number_of_steps=2, global_step=step, session_config=tf.ConfigProto(),
            save_summaries_secs=None, summary_op=None,
        )
    configs = [real.ConfigProto.FromString(made.config) for made in machine.made]
    assert [(each.inter_op_parallelism_threads, each.device_count["CPU"]) for each in configs] == [(2, 2)]


def test_a_script_that_forgot_soft_placement_runs():
    with script() as (tf, _), tf.Graph().as_default():
        with tf.device("/device:TPU:0"):
            value = tf.constant(3.0) * 2.0
        with tf.Session() as session:
            assert session.run(value) == 6.0


def test_a_session_made_before_the_towers_says_what_to_do(capsys):
    with script() as (tf, _), tf.Graph().as_default():
        tf.constant(0.0)
        session = tf.InteractiveSession()
        with tf.device("/gpu:1"):
            value = tf.constant(3.0) * 2.0
        assert value.eval() == 6.0
        session.close()
    said = capsys.readouterr().err
    assert "a session was made before the script named its device 1 and has 1 CPU device: what it lacks" in said
    assert "--num-devices 2 gives each its own" in said


def test_a_session_made_first_has_the_devices_asked_for(capsys):
    with script("--num-devices 2") as (tf, _), tf.Graph().as_default():
        tf.constant(0.0)
        with tf.Session() as session:
            with tf.device("/gpu:1"):
                value = tf.constant(3.0) * 2.0
            assert session.run(value) == 6.0
    assert "was made before" not in capsys.readouterr().err


def test_options_that_contradict_the_scripts_session_end_it(capsys):
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
def test_wrong_arguments_are_refused_in_tensorflows_words(arguments, error):
    with script("--num-devices 2") as (tf, _), tf.Graph().as_default():
        tf.constant(1.0)
        with pytest.raises(TypeError, match=error):
            tf.Session(*arguments(tf))


def test_sessions_are_used_as_ever():
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


def test_a_script_may_subclass_session():
    with script("--timeout-steps 10") as (tf, _), tf.Graph().as_default():

        class Twice(tf.Session):
            def run(self, fetches, *arguments, **keywords):
                return [super(Twice, self).run(fetches, *arguments, **keywords) for _ in range(2)]

        with Twice() as session:
            assert isinstance(session, tf.Session) and session.run(tf.constant(3)) == [3, 3]
        with tf.Session() as plain:
            assert not isinstance(plain, Twice)


def test_sessions_that_tensorflow_makes_are_sessions():
    with script() as (tf, _):
        with real.Session(graph=real.Graph()) as session:
            assert isinstance(session, tf.Session) and not isinstance(session, tf.InteractiveSession)


def test_afterwards_tensorflows_makers_make_their_own():
    with script() as (tf, _):
        ours = tf.Session
    manager = real.train.SessionManager()
    real.constant(1.0)
    with manager.prepare_session("", real.no_op()) as session:
        assert type(session) is real.Session and ours is not real.Session


def test_outside_of_a_run_a_session_is_tensorflows():
    from legacy_towers.oldtf import tree

    tf = tree.module("tensorflow")
    with tf.Graph().as_default():
        with tf.device("/gpu:1"):
            value = tf.constant(1.0)
        assert value.device == "/device:GPU:1"
        with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=2)) as session:
            config = config_of(session)
    assert not config.allow_soft_placement and config.inter_op_parallelism_threads == 2


def test_a_server_and_its_sessions_get_the_options(capsys):
    with script("--intra-op-threads 1 --num-devices 2") as (tf, run), tf.Graph().as_default():
        machine = run.machine
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
    assert [(made.kind, bool(made.target)) for made in machine.made] == [("Server", True), ("Session", True)]
    assert "was made before" not in capsys.readouterr().err


def test_a_server_made_before_the_towers_says_what_to_do(capsys):
    with script() as (tf, _), tf.Graph().as_default():
        server = tf.train.Server.create_local_server()
        with tf.device("/gpu:1"):
            value = tf.constant(1.0) + 1.0
        with tf.Session(server.target) as session:
            assert session.run(value) == 2.0
    assert "the server was made before the script named its device 1" in capsys.readouterr().err


def test_the_job_of_a_local_server_has_its_name_of_1_x():
    with script() as (tf, _), tf.Graph().as_default():
        server = tf.train.Server.create_local_server()
        with tf.device("/job:local/task:0"):
            value = tf.constant(1.0) + 1.0
        with tf.Session(server.target) as session:
            assert session.run(value) == 2.0
        assert server.server_def.job_name == "local"


@pytest.mark.parametrize("level", ["ON_1", "ON_2", "OFF"])
def test_just_in_time_compilation_stays_harmless(level):
    with script() as (tf, _), tf.Graph().as_default():
        config = tf.ConfigProto()
        config.graph_options.optimizer_options.global_jit_level = getattr(tf.OptimizerOptions, level)
        with tf.device("/gpu:0"):
            value = tf.matmul(tf.ones([2, 3]), tf.ones([3, 2])) + 1.0
        with tf.Session(config=config) as session:
            np.testing.assert_array_equal(session.run(value), np.full([2, 2], 4.0))


def test_gpus_are_asked_about_as_ever():
    with script() as (tf, _):
        assert tf.test.is_gpu_available() == real.test.is_gpu_available()
        assert tf.test.gpu_device_name() == real.test.gpu_device_name()


@pytest.mark.parametrize("is_watched", [False, True])
def test_a_feed_of_numbers_and_arrays_of_one_number(is_watched):
    with script() as (tf, run), tf.Graph().as_default():
        run.machine.watch = watch.Watch() if is_watched else None
        with tf.Session() as session:
            placeholder = tf.placeholder(tf.float32, [None])
            targets = [np.array([0.5], np.float32), 0.0, np.array([[2.0]])]
            for _ in range(2):
                assert session.run(placeholder * 2.0, {placeholder: targets}).tolist() == [1.0, 0.0, 4.0]
            with pytest.raises(ValueError):
                session.run(placeholder, {placeholder: [np.array([1.0, 2.0]), 0.0]})
        said = [notice for notice in run.notices if "one number" in notice.name]
        # The numpy of TensorFlow 1.15 makes the array itself; where it is not made either, that is said of a line, too.
        assert len(said) == (0 if tree.is_1_15() else 2)
        assert not is_watched or len(run.machine.watch.runs) == 2
