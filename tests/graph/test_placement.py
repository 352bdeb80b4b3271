import subprocess
import warnings

import preloaded
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.placement import PlacementWarningHook, placement, placement_from

# TensorFlow renames the op if it uses oneDNN's kernel, which depends on the CPU.
PRODUCTS = ("MatMul", "_MklMatMul")
TASK = "/job:localhost/replica:0/task:0"


def towers(devices, outside="/cpu:0"):
    """Returns the sum of a random matrix times a shared variable, computed on each device."""
    with tf.device(outside):
        weights = tf.get_variable("weights", [3, 3], initializer=tf.ones_initializer(), use_resource=True)
    products = []
    for tower, device in enumerate(devices):
        with tf.device(device), tf.name_scope("tower_{}".format(tower)):
            products.append(tf.matmul(tf.random_normal([3, 3]), weights, name="product"))
    with tf.device(outside):
        return tf.add_n(products, name="total")


def session_of(**keywords):
    session = tf.Session(config=session_config(logical_cpus=4, hide_gpus=True, **keywords))
    session.run(tf.global_variables_initializer())
    return session


def row_of(found, name):
    rows = [row for row in found.rows if row.name == name]
    assert len(rows) == 1
    return rows[0]


def test_ops_on_their_requested_devices():
    total = towers(["/cpu:1", "/cpu:2"])
    with session_of() as session:
        found = placement(session, total)
    product = row_of(found, "tower_1/product")
    assert product.type in PRODUCTS
    assert product._replace(type="MatMul") == (
        "tower_1/product", "MatMul", "/device:CPU:2", TASK + "/device:CPU:2", 1, False)
    assert row_of(found, "total").tower is None
    assert row_of(found, "weights").got == TASK + "/device:CPU:0"
    assert found.strays == [] and found.moved_towers() == []
    assert list(found.by_tower()) == [0, 1, None]
    assert {row.tower for row in found.by_tower()[1]} == {1}
    assert sum(len(rows) for rows in found.by_tower().values()) == len(found.rows)


def test_sends_and_receives_are_counted_as_added_ops():
    total = towers(["/cpu:1", "/cpu:2"])
    with session_of() as session:
        found = placement(session, total)
    assert found.added["_Send"] == found.added["_Recv"] > 0
    assert not [row for row in found.rows if row.type in ("_Send", "_Recv")]


def test_a_tower_moved_by_soft_placement():
    total = towers(["/cpu:1", "/gpu:0"])
    with session_of(soft_placement=True) as session:
        found = placement(session, total)
    assert [(each.tower, each.asked, each.got) for each in found.moved_towers()] == [
        (1, "/device:GPU:0", [TASK + "/device:CPU:0"])]
    assert {row.tower for row in found.strays} == {1}
    assert row_of(found, "tower_1/product").is_stray
    assert str(found.moved_towers()[0]) == "tower 1 requested /gpu:0 but ran entirely on /cpu:0"


def test_one_op_on_another_device_does_not_make_a_moved_tower():
    with tf.name_scope("tower_0"), tf.device("/cpu:1"):
        value = tf.random_normal([3])
        with tf.device("/gpu:0"):
            total = tf.reduce_sum(value, name="total")
    with session_of(soft_placement=True) as session:
        found = placement(session, total)
    assert "tower_0/total" in {row.name for row in found.strays}
    assert found.moved_towers() == []


def test_ops_without_a_device_are_not_reported():
    with session_of() as session:
        found = placement(session, tf.random_normal([3], name="free"))
    assert {row.asked for row in found.rows} == {""}
    assert found.strays == []


@pytest.mark.parametrize("asked", ["/cpu", "/job:localhost", "/task:0/cpu:0", "/job:localhost/replica:0/task:0/cpu:0"])
def test_a_partial_device_matches_the_device_of_the_op(asked):
    with tf.device(asked):
        value = tf.random_normal([3])
    with session_of() as session:
        found = placement(session, value)
    assert {row.asked for row in found.rows} != {""}
    assert found.strays == []


def test_placement_accepts_a_feed_dict():
    with tf.device("/cpu:1"):
        source = tf.placeholder(tf.float32, [2])
        doubled = tf.multiply(source, 2.0, name="doubled")
    with session_of() as session:
        found = placement(session, doubled, {source: [1.0, 2.0]})
    assert row_of(found, "doubled").got == TASK + "/device:CPU:1"


def test_the_table_groups_by_tower():
    total = towers(["/cpu:1", "/gpu:0"])
    with session_of(soft_placement=True) as session:
        text = str(placement(session, total))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[2] == "tower 1 requested /gpu:0 but ran entirely on /cpu:0"
    table = lines[lines.index("tower asked for ran on ops"):]
    assert table[2].startswith("0 /cpu:1 /cpu:1 ")
    assert any(line.startswith("1 /gpu:0 /cpu:0 (moved) ") for line in table)
    assert any(line.startswith("shared /cpu:0 /cpu:0 ") for line in table)
    assert any("tower_1/product {} /gpu:0 /cpu:0".format(product) in lines for product in PRODUCTS)


def test_the_table_without_towers_groups_by_device():
    with tf.device("/cpu:1"):
        one = tf.random_normal([3])
    with tf.device("/cpu:2"):
        other = tf.random_normal([3])
    with session_of() as session:
        text = str(placement(session, [one, other]))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    start = lines.index("asked for ran on ops")
    assert lines[start + 2].startswith("/cpu:1 /cpu:1 ") and lines[start + 3].startswith("/cpu:2 /cpu:2 ")
    assert lines[-1] == "no strays: every op that asked for a device got it"


def test_constant_folded_ops_are_reported():
    with tf.device("/cpu:1"):
        total = tf.matmul(tf.constant([[1.0]]), tf.constant([[2.0]]))
    with session_of() as session:
        found = placement(session, total)
    assert not [row for row in found.rows if row.type in PRODUCTS]
    if not found.rows:
        assert str(found).startswith("no op of the graph ran as such; TensorFlow ran ")
        assert len(str(found).splitlines()) == 1


def test_single_moved_ops_are_printed_before_those_of_a_moved_tower():
    total = towers(["/gpu:0", "/cpu:1"])
    with tf.name_scope("tower_1/"), tf.device("/gpu:5"):
        alone = tf.reduce_max(total, name="alone")
    with session_of(soft_placement=True) as session:
        lines = str(placement(session, alone)).splitlines()
    strays = [line.split()[0] for line in lines[[line.startswith("stray op") for line in lines].index(True) + 2:]]
    assert strays.index("tower_1/alone") < strays.index("tower_0/product")


def test_long_lists_of_moved_ops_are_shortened():
    with tf.device("/gpu:0"):
        values = [tf.random_normal([3]) for _ in range(20)]
    with session_of(soft_placement=True) as session:
        found = placement(session, values)
    assert str(found).splitlines()[-1] == "and {} more: see .strays".format(len(found.strays) - 10)


def test_metadata_without_partition_graphs_is_rejected():
    with pytest.raises(ArgumentError, match="holds no partition graphs: run with options="):
        placement_from(tf.RunMetadata(), tf.get_default_graph())


def disabling_config(**keywords):
    config = session_config(logical_cpus=2, hide_gpus=True, **keywords)
    if not hasattr(config.experimental, "disable_output_partition_graphs"):
        pytest.skip("this TensorFlow can't disable partition graphs")
    config.experimental.disable_output_partition_graphs = True
    return config


def test_a_session_that_disables_partition_graphs_is_rejected():
    with tf.Session(config=disabling_config()) as session:
        with pytest.raises(ArgumentError, match="config sets experimental.disable_output_partition_graphs"):
            placement(session, tf.random_normal([3]))


class OptionsHook(tf.train.SessionRunHook):
    """Records which runs returned partition graphs."""

    def __init__(self):
        self.seen = []

    def before_run(self, run_context):
        # With any option a run returns its metadata; this one is TensorFlow's default.
        return tf.train.SessionRunArgs(None, options=tf.RunOptions(inter_op_thread_pool=0))

    def after_run(self, run_context, run_values):
        self.seen.append(len(run_values.run_metadata.partition_graphs) > 0)


def monitored_runs(devices, hook, runs, config, before=None):
    """Runs the towers in a MonitoredTrainingSession; returns the warnings about towers, and which runs had graphs."""
    total = towers(devices)
    tf.train.get_or_create_global_step()
    watch = OptionsHook()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with tf.train.MonitoredTrainingSession(hooks=[hook, watch], config=config) as session:
            if before is not None:
                session.run(before)
            for _ in range(runs):
                session.run(total)
    return [str(each.message) for each in caught if "tower" in str(each.message)], watch.seen


@pytest.mark.parametrize("devices", [None, ["/cpu:1", "/gpu:2"]], ids=["from the graph", "given"])
def test_the_hook_warns_once_of_a_moved_tower_and_then_requests_nothing(devices):
    hook = PlacementWarningHook(devices)
    config = session_config(logical_cpus=2, soft_placement=True, hide_gpus=True)
    messages, graphs = monitored_runs(["/cpu:1", "/gpu:2"], hook, 3, config)
    assert messages == [
        "tower 1 requested /gpu:2 but ran entirely on /cpu:0 (soft placement): ask for devices that exist, "
        "lt.devices.available() lists them"]
    assert graphs == [True, False, False]
    assert hook.before_run(None) is None


def test_the_hook_does_not_warn_if_no_tower_was_moved():
    config = session_config(logical_cpus=3, soft_placement=True, hide_gpus=True)
    messages, graphs = monitored_runs(["/cpu:1", "/cpu:2"], PlacementWarningHook(), 2, config)
    assert messages == [] and graphs == [True, False]


def test_the_hook_requests_nothing_without_soft_placement():
    config = session_config(logical_cpus=3)
    messages, graphs = monitored_runs(["/cpu:1", "/cpu:2"], PlacementWarningHook(), 2, config)
    assert messages == [] and graphs == [False, False]


def test_the_hook_waits_for_a_run_with_towers():
    config = session_config(logical_cpus=2, soft_placement=True, hide_gpus=True)
    step = tf.train.get_or_create_global_step()
    messages, graphs = monitored_runs(["/cpu:1", "/gpu:2"], PlacementWarningHook(), 2, config, before=step)
    assert len(messages) == 1 and graphs == [True, True, False]


def test_the_hook_stops_if_no_run_has_towers(fresh_graph):
    value = tf.random_normal([3])
    tf.train.get_or_create_global_step()
    watch = OptionsHook()
    config = session_config(soft_placement=True)
    with tf.train.MonitoredTrainingSession(hooks=[PlacementWarningHook(), watch], config=config) as session:
        for _ in range(12):
            session.run(value)
    assert watch.seen == [True] * 10 + [False] * 2


def test_the_hook_warns_if_it_can_not_check():
    config = disabling_config(soft_placement=True)
    messages, graphs = monitored_runs(["/cpu:1", "/gpu:2"], PlacementWarningHook(), 2, config)
    assert messages == [
        "the session's config allows soft placement and sets experimental.disable_output_partition_graphs: "
        "whether a tower ran elsewhere than asked can't be seen"]
    assert graphs == [False, False]


def test_placement_in_a_monitored_session_runs_its_hooks():
    total = towers(["/cpu:1"])
    tf.train.get_or_create_global_step()
    watch = OptionsHook()
    with tf.train.MonitoredTrainingSession(hooks=[watch], config=session_config(logical_cpus=2)) as session:
        found = placement(session, total)
    assert row_of(found, "tower_0/product").got == TASK + "/device:CPU:1"
    assert watch.seen == [True]


def test_the_package_exports_the_function_after_its_module_is_imported():
    code = "import legacy_towers.graph.placement, legacy_towers as lt; assert callable(lt.placement), lt.placement"
    subprocess.check_call([preloaded.executable(), "-c", code])
    assert lt.placement is placement
