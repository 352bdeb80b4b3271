import warnings

import mock
import pytest

from legacy_towers import devices
from legacy_towers.compat import tf
from legacy_towers.compat.versions.devices import LocalDevice
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError, DeviceError

CPU = LocalDevice("/device:CPU:0", "CPU", 268435456, "")
XLA_CPU = LocalDevice("/device:XLA_CPU:0", "XLA_CPU", 17179869184, "device: XLA_CPU device")


def machine(gpu_count):
    """Patches the list of local devices with that of a machine with `gpu_count` GPUs."""
    gpus = [LocalDevice("/device:GPU:{}".format(i), "GPU", 11 << 30, "name: Card") for i in range(gpu_count)]
    return mock.patch.object(devices, "list_local_devices", lambda: [CPU, XLA_CPU] + gpus)


def test_available_has_a_cpu_and_no_xla_device():
    found = devices.available()
    assert devices.Device("/cpu:0", "CPU", None, "") in found
    assert not [each for each in found if "XLA" in each.type]


def test_available_filters_by_type():
    with machine(2):
        assert [each.name for each in devices.available()] == ["/cpu:0", "/gpu:0", "/gpu:1"]
        assert devices.available("gpu")[1] == devices.Device("/gpu:1", "GPU", 11 << 30, "name: Card")
        assert [each.name for each in devices.available("XLA_CPU")] == ["/device:XLA_CPU:0"]
        assert devices.available("TPU") == []


def test_cpus_returns_logical_cpus():
    assert devices.cpus() == ["/cpu:0"]
    assert devices.cpus(3) == ["/cpu:0", "/cpu:1", "/cpu:2"]


@pytest.mark.parametrize("n", [0, -1, 1.0, True, "2"])
def test_a_count_must_be_a_positive_integer(n):
    for function in (devices.cpus, devices.gpus):
        with pytest.raises(ArgumentError) as caught:
            function(n)
        assert "must be a whole number of at least 1, got {!r}".format(n) in str(caught.value)


def test_gpus_that_exist():
    with machine(4), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert devices.gpus() == ["/gpu:0", "/gpu:1", "/gpu:2", "/gpu:3"]
        assert devices.gpus(2) == ["/gpu:0", "/gpu:1"]
        assert devices.gpus(4, soft_placement=True) == devices.gpus()


@pytest.mark.parametrize("existing, n, message", [
    (2, 4, "4 GPUs were requested, but this machine has /cpu:0, /gpu:0 and /gpu:1: use lt.devices.gpus(2), or pass "
           "soft_placement=True here and to lt.session_config"),
    (0, 4, "4 GPUs were requested, but this machine has /cpu:0, no GPU: use lt.devices.cpus(4) and "
     "config=lt.session_config(logical_cpus=4), or"),
    (0, 1, "a GPU was requested, but this machine has /cpu:0, no GPU"),
    (0, None, "a GPU was requested, but this machine has /cpu:0, no GPU"),
], ids=["too many", "several of none", "one of none", "all of none"])
def test_gpus_that_do_not_exist(existing, n, message):
    with machine(existing), pytest.raises(DeviceError) as caught:
        devices.gpus(n)
    assert message in str(caught.value)


def test_gpus_under_soft_placement_warns_which_tower_runs_where():
    with machine(2), pytest.warns(UserWarning) as caught:
        assert devices.gpus(4, soft_placement=True) == ["/gpu:0", "/gpu:1", "/gpu:2", "/gpu:3"]
    assert [str(each.message) for each in caught] == [
        "tower 2 asks for /gpu:2 and will run on /gpu:0; tower 3 asks for /gpu:3 and will run on /gpu:0 "
        "(soft placement: this machine has /cpu:0, /gpu:0 and /gpu:1)"
    ]
    with machine(0), pytest.warns(UserWarning, match="tower 0 asks for /gpu:0 and will run on /cpu:0"):
        devices.gpus(1, soft_placement=True)


def test_gpus_without_a_count_fails_on_a_machine_without_gpus_even_under_soft_placement():
    with machine(0), pytest.raises(DeviceError):
        devices.gpus(soft_placement=True)


def test_default_device():
    with machine(2):
        assert devices.default_device() == "/gpu:0"
    with machine(0):
        assert devices.default_device() == "/cpu:0"


def test_default_device_is_the_one_of_an_op_without_a_device():
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.random_normal([2]), options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    got = [node.device for graph in metadata.partition_graphs for node in graph.node if "Normal" in node.name]
    assert got and all(devices.matches(devices.default_device(), device) for device in got)


@pytest.mark.parametrize("device, full, short", [
    ("/cpu:1", "/device:CPU:1", "/cpu:1"),
    ("cpu:1", "/device:CPU:1", "/cpu:1"),
    ("/GPU:0", "/device:GPU:0", "/gpu:0"),
    ("/device:gpu:0", "/device:GPU:0", "/gpu:0"),
    ("/gpu", "/device:GPU:*", "/gpu"),
    ("/device:XLA_CPU:0", "/device:XLA_CPU:0", "/device:XLA_CPU:0"),
    ("/job:worker/task:1/gpu:2", "/job:worker/task:1/device:GPU:2", "/job:worker/task:1/gpu:2"),
    ("/job:ps/replica:0/task:0/device:CPU:0", "/job:ps/replica:0/task:0/device:CPU:0", "/job:ps/task:0/cpu:0"),
    ("/job:localhost/replica:0/task:0/device:CPU:3", "/job:localhost/replica:0/task:0/device:CPU:3", "/cpu:3"),
    ("", "", ""),
])
def test_canonical_and_short_name(device, full, short):
    assert devices.canonical(device) == full
    assert devices.short_name(device) == short


@pytest.mark.parametrize("device", ["/banana", "/gpu:x", "/cpu:0/gpu:0", "/cpu:-1", "/device:cpu", None, 0])
def test_canonical_rejects_invalid_device_strings(device):
    with pytest.raises(DeviceError) as caught:
        devices.canonical(device)
    assert str(caught.value).startswith("{!r} is not a device string".format(device))


@pytest.mark.parametrize("requested, device, expected", [
    ("/cpu:1", "/job:localhost/replica:0/task:0/device:CPU:1", True),
    ("/cpu:1", "/job:localhost/replica:0/task:0/device:CPU:0", False),
    ("/gpu:0", "/job:localhost/replica:0/task:0/device:CPU:0", False),
    ("/gpu", "/job:localhost/replica:0/task:0/device:GPU:3", True),
    ("/job:worker", "/job:worker/replica:0/task:1/device:GPU:3", True),
    ("/job:worker/task:0", "/job:worker/replica:0/task:1/device:GPU:3", False),
    ("/job:ps/cpu:0", "/job:worker/replica:0/task:1/device:CPU:0", False),
    ("", "/job:worker/replica:0/task:1/device:CPU:0", True),
])
def test_an_unspecified_field_matches_any_device(requested, device, expected):
    assert devices.matches(requested, device) is expected


def test_missing_in_a_session():
    with tf.Session(config=session_config(logical_cpus=2)) as session:
        assert devices.missing_in(session, ["/cpu:0", "/device:CPU:1", "cpu:1", "/cpu", ""]) == []
        assert devices.missing_in(session, ["/cpu:1", "/gpu:7", "/cpu:2"]) == [(1, "/gpu:7"), (2, "/cpu:2")]
        with pytest.raises(DeviceError, match="'/banana' is not a device string"):
            devices.missing_in(session, ["/banana"])


TWO_CPUS = "/cpu:0 and /cpu:1, no GPU"


@pytest.mark.parametrize("requested, message", [
    (["/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"],
     "towers 2 (/cpu:2) and 3 (/cpu:3) ask for devices that this session does not have (it has " + TWO_CPUS +
     "): create the session with config=lt.session_config(logical_cpus=4)"),
    (["/cpu:0", "/gpu:0"],
     "tower 1 (/gpu:0) asks for a device that this session does not have (it has " + TWO_CPUS +
     "): put the towers on CPUs (lt.devices.cpus(2) and config=lt.session_config(logical_cpus=2)), or let TensorFlow "
     "move them with config=lt.session_config(soft_placement=True)"),
    (["/job:worker/task:0/cpu:0"],
     "tower 0 (/job:worker/task:0/cpu:0) asks for a device that this session does not have (it has " + TWO_CPUS +
     "): a device of another job or task needs a session on its server, tf.Session(server.target)"),
], ids=["cpus", "gpu", "job"])
def test_check_session_rejects_missing_devices(requested, message):
    with tf.Session(config=session_config(logical_cpus=2, hide_gpus=True)) as session:
        with pytest.raises(DeviceError) as caught:
            devices.check_session(session, requested)
    assert str(caught.value) == message


def test_check_session_of_a_session_without_config():
    with tf.Session() as session:
        devices.check_session(session, ["/cpu:0"])
        with pytest.raises(DeviceError, match=r"logical_cpus=2\)"):
            devices.check_session(session, ["/cpu:1"])


def test_check_session_with_gpus_advises_fewer_towers():
    class Listed:
        def __init__(self, name):
            self.name, self.device_type = "/job:localhost/replica:0/task:0/device:" + name, name[:3]

    with tf.Session() as session, mock.patch.object(
            session, "list_devices", lambda: [Listed("CPU:0"), Listed("GPU:0"), Listed("GPU:1")]):
        devices.check_session(session, ["/gpu:0", "/gpu:1"])
        with pytest.raises(DeviceError) as caught:
            devices.check_session(session, ["/gpu:0", "/gpu:1", "/gpu:2"])
    assert "tower 2 (/gpu:2) asks for a device" in str(caught.value)
    assert "it has /cpu:0, /gpu:0 and /gpu:1): use fewer towers (lt.devices.gpus(2)), or" in str(caught.value)


def test_check_session_warns_under_soft_placement():
    with tf.Session(config=session_config(soft_placement=True, hide_gpus=True)) as session:
        with pytest.warns(UserWarning) as caught:
            devices.check_session(session, ["/cpu:0", "/gpu:5"])
    assert [str(each.message) for each in caught] == [
        "tower 1 asks for /gpu:5 and will run on /cpu:0 (soft placement: this session has /cpu:0, no GPU)"
    ]


def test_check_session_of_a_monitored_session():
    tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession(config=session_config(logical_cpus=2)) as session:
        devices.check_session(session, ["/cpu:0", "/cpu:1"])
        with pytest.raises(DeviceError, match=r"logical_cpus=3\)"):
            devices.check_session(session, ["/cpu:0", "/cpu:2"])


def test_check_session_of_a_closed_monitored_session_fails():
    tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession() as session:
        pass
    with pytest.raises(DeviceError, match="the session is closed and has no devices: check it before"):
        devices.check_session(session, ["/cpu:0"])
