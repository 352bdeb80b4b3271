"""Where the variables of a cluster are that name no task: on the task that TensorFlow 1.15 chooses, for all workers."""
import ports
import pytest
from run.runtime.prepared import script

from legacy_towers.compat import tf as real

IS_1_15 = real.__version__.startswith("1.15")


@pytest.fixture(scope="module")
def cluster():
    """Returns the addresses of a parameter server and two workers, which are servers of this process."""
    with ports.held(3) as addresses:
        yield {"ps": addresses[:1], "worker": addresses[1:]}


@pytest.fixture(scope="module")
def servers():
    """Returns the servers by (job, task); they can't be stopped, so that all tests use the same."""
    return {}


@pytest.fixture
def begin(cluster, servers):
    """Yields a function that returns (the script's tf, a function that returns the target of a task)."""
    with script() as (tf, run):
        def target(job, task):
            if (job, task) not in servers:
                servers[job, task] = tf.train.Server(cluster, job, task)
            run.runtime.shared_variables.note_server(servers[job, task])
            return servers[job, task].target

        for job, hosts in cluster.items():
            for task in range(len(hosts)):
                target(job, task)
        yield tf, target


def variable(tf, name, **options):
    return tf.get_variable(name, initializer=1.0, **options)


def task_of(session, operation):
    """Returns the task that runs `operation`, such as "ps:0"."""
    metadata = real.RunMetadata()
    session.run(operation, options=real.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    nodes = (node for part in metadata.partition_graphs for node in part.node)
    (device,) = {node.device for node in nodes if node.name == operation.name}
    spec = real.DeviceSpec.from_string(device)
    return "{}:{}".format(spec.job, spec.task)


CASES = [
    (None, [], "ps:0"),
    ("/cpu:0", [], "ps:0"),
    ("/job:worker", [], "worker:0"),
    ("/job:worker/cpu:0", [], "worker:0"),
    ("/task:1", [], "worker:1"),
    ("/job:worker/task:1", [], "worker:1"),
    (None, ["/job:worker"], "worker:0"),
    (None, ["/job:worker/task:1"], "worker:1"),
]


@pytest.mark.parametrize("is_resource", [False, True], ids=["ref", "resource"])
@pytest.mark.parametrize("device, filters, expected", CASES)
def test_a_variable_without_a_task_is_on_the_first_task_that_fits(device, filters, expected, is_resource, begin):
    tf, target = begin
    with tf.Graph().as_default():
        with tf.device(device):
            w = variable(tf, "w", use_resource=is_resource)
            optimizer = tf.train.MomentumOptimizer(0.5, 0.5)
            train = optimizer.minimize(tf.square(w))
            momentum = optimizer.get_slot(w, "momentum")
        with tf.Session(target("worker", 1), config=tf.ConfigProto(device_filters=filters)) as session:
            session.run([w.initializer, momentum.initializer])
            assert task_of(session, w.initializer) == task_of(session, momentum.initializer) == expected
            session.run(train)
            assert session.run([w, momentum]) == [0.0, 2.0]


@pytest.mark.parametrize("is_resource", [False, True], ids=["ref", "resource"])
def test_workers_share_variables_and_queues_with_a_shared_name_also_those_made_after_the_session(is_resource, begin):
    tf, target = begin
    found = []
    for task in range(2):
        with tf.Graph().as_default(), tf.Session(target("worker", task)) as session:
            w = variable(tf, "shared_w", use_resource=is_resource)
            queue = tf.FIFOQueue(4, tf.float32, [], shared_name="shared{}".format(is_resource))
            session.run([queue.enqueue(task)] + ([w.initializer] if task == 0 else []))
            session.run(w.assign_add(1.0))
            later = variable(tf, "later", use_resource=is_resource)
            session.run(later.initializer if task == 0 else later.assign_add(2.0))
            found.append(session.run([w, later, queue.size()]))
    assert found == [[2.0, 1.0, 1], [3.0, 3.0, 2]]


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 shares these too")
def test_local_variables_and_queues_without_a_shared_name_stay_on_the_worker(begin):
    tf, target = begin
    with tf.Graph().as_default(), tf.Session(target("worker", 1)) as session:
        local = variable(tf, "local", collections=[tf.GraphKeys.LOCAL_VARIABLES])
        queue = tf.FIFOQueue(4, tf.float32, [])
        assert task_of(session, local.initializer) == "worker:1"
        assert task_of(session, queue.enqueue(1.0)) == "worker:1"


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 does so by itself")
def test_a_line_names_the_variables_and_the_task_once(begin, capsys):
    tf, target = begin
    for task in range(2):
        with tf.Graph().as_default():
            variable(tf, "first"), variable(tf, "second")
            with tf.Session(target("worker", task)) as session:
                session.run(tf.global_variables_initializer())
    lines = [line for line in capsys.readouterr().err.splitlines() if "names no task" in line]
    assert lines == [
        "legacy-towers: tf.device names no task for 'first', 'second': on /job:ps/task:0, as on TensorFlow 1.15, so "
        "that all workers share them"
    ]
