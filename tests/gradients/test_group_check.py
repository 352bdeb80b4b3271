"""A session in which an all-reduce would hang is rejected before the first step.

Programs that might hang run in a process with a time limit.
"""
import subprocess
import textwrap

import preloaded
import pytest

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import DeviceError
from legacy_towers.gradients import ReductionContext
from legacy_towers.gradients.sums.all_reduce import GroupCheck, check_group_in

CPUS = ["/cpu:{}".format(index) for index in range(4)]


def output_within(seconds, program, *arguments):
    """Returns the output of a program; fails if it takes longer than `seconds`."""
    command = [preloaded.executable(), "-c", program] + list(arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    return output


def refuse(devices, **config):
    """Returns the error message for a session of this process."""
    with tf.Session(config=session_config(**config)) as session:
        with pytest.raises(DeviceError) as caught:
            check_group_in(session, devices, "collective()")
    return str(caught.value)


def test_a_session_with_all_devices_is_accepted():
    with tf.Session(config=session_config(logical_cpus=4)) as session:
        check_group_in(session, CPUS, "collective()")


def test_soft_placement_with_fewer_devices_is_rejected():
    found = refuse(CPUS[:3], logical_cpus=2, soft_placement=True)
    assert found == (
        "collective() reduces over '/cpu:0', '/cpu:1', '/cpu:2', and this session has no '/cpu:2' (it has '/cpu:0', "
        "'/cpu:1'): soft placement would put two towers on one device, and the step would never finish. Create "
        "the session with the device, as by lt.session_config(logical_cpus=N) for CPUs, or build the step for the "
        "devices that exist"
    )


def test_two_strings_for_one_device_are_rejected():
    found = refuse(["/cpu:0", "/job:localhost/cpu:0"], logical_cpus=2)
    expected = (
        "'/cpu:0' and '/job:localhost/cpu:0', which are one device in this session, /cpu:0: write it in the same way "
        "for all towers"
    )
    assert expected in found


@pytest.mark.parametrize(
    "reduction",
    [
        reductions.collective(),
        reductions.chain(reductions.scale(2.0), reductions.collective()),
        reductions.compressed(reductions.bucketed(reductions.nccl())),
    ],
    ids=repr,
)
def test_reductions_with_a_group_add_the_check(reduction):
    devices = CPUS[:2] if "nccl" not in repr(reduction) else ["/gpu:0", "/gpu:1"]
    (hook,) = reduction.hooks(ReductionContext(devices, [0, 1]))
    assert isinstance(hook, GroupCheck)


@pytest.mark.parametrize(
    "reduction, devices",
    [
        (reductions.mean(), CPUS),
        (reductions.bucketed(reductions.tree()), CPUS),
        (reductions.collective(), CPUS[:1]),
        (reductions.collective(), CPUS[:1] * 3),
    ],
    ids=["mean", "bucketed tree", "one tower", "one device"],
)
def test_reductions_without_a_group_add_no_check(reduction, devices):
    assert reduction.hooks(ReductionContext(devices, list(range(len(devices))))) == []


# A training loop with too few devices; without the check it would hang.
LOOP = """
    import legacy_towers as lt
    from legacy_towers import gradients as reductions
    from legacy_towers.compat import tf

    devices = lt.devices.cpus(3)
    variable = tf.get_variable("v", [3], use_resource=True)
    towers = []
    for device in devices:
        with tf.device(device):
            towers.append([(tf.ones([3]), variable)])
    reduction = reductions.chain(reductions.bucketed(reductions.collective()))
    reduced = reductions.reduce_gradients(towers, reduction, devices)
    tf.train.get_or_create_global_step()
    hooks = reduction.hooks(reduced.context)
    config = lt.session_config(logical_cpus=2, soft_placement=True)
    try:
        with tf.train.MonitoredTrainingSession(hooks=hooks if CHECKED else [], config=config) as session:
            print("started", flush=True)
            session.run(reduced.rows[0].gradients[0])
    except lt.errors.DeviceError as error:
        print("refused:", error)
"""


@pytest.mark.slow
def test_a_training_loop_is_rejected_before_its_first_step():
    output = output_within(300, "CHECKED = True\n" + textwrap.dedent(LOOP))
    assert "refused: collective() reduces over '/cpu:0', '/cpu:1', '/cpu:2', and this session has no '/cpu:2'" in output
    assert "started" not in output


@pytest.mark.slow
def test_the_same_loop_without_the_check_hangs():
    command = [preloaded.executable(), "-c", "CHECKED = False\n" + textwrap.dedent(LOOP)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == b"started\n"
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=2)
        finally:
            process.kill()


# Two servers in one process; the first argument is the collective leader in the configuration of servers and session.
SERVERS = """
    import os, socket, sys
    import legacy_towers as lt
    from legacy_towers import gradients as reductions
    from legacy_towers.compat import tf
    from legacy_towers.gradients.sums.all_reduce import check_group_in

    leader = sys.argv[1] or None
    config = lt.session_config(logical_cpus=2, collective_leader=leader)
    sockets = [socket.socket() for _ in range(2)]
    for each in sockets:  # they stay bound: see tests/ports.py
        each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        each.bind(("localhost", 0))
    cluster = {"worker": ["localhost:{}".format(each.getsockname()[1]) for each in sockets]}
    servers = [tf.train.Server(cluster, job_name="worker", task_index=task, config=config) for task in range(2)]
    devices = ["/job:worker/task:{}/cpu:{}".format(task, cpu) for task in range(2) for cpu in range(2)]
    towers = []
    for number, device in enumerate(devices):
        with tf.device(device):
            variable = tf.get_variable("v", [2], use_resource=True) if not towers else towers[0][0][1]
            towers.append([(tf.fill([2], number + 1.0), variable)])
    reduction = reductions.collective()
    reduced = reductions.reduce_gradients(towers, reduction, devices)
    with tf.Session(servers[0].target, config=config) as session:
        try:
            for hook in reduction.hooks(reduced.context):
                hook.after_create_session(session, None)
        except lt.errors.ArgumentError as error:
            print("refused:", error)
        else:
            print(session.run(reduced.rows[0].gradients[0]).tolist())
    sys.stdout.flush()
    os._exit(0)  # a server has no end of its own
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "leader, expected",
    [
        ("/job:worker/task:1", "[2.5, 2.5]"),
        ("", "refused: collective() reduces over the devices of '/job:worker/replica:0/task:0', "
         "'/job:worker/replica:0/task:1', and the session's configuration names no leader: the step would "
         "never finish. Create every tf.train.Server and this session with "
         "config=lt.session_config(collective_leader='/job:worker/replica:0/task:0')"),
        ("/job:chief/task:0", "refused: collective() reduces over the devices of '/job:worker/replica:0/task:0', "
         "'/job:worker/replica:0/task:1', and the session's leader, '/job:chief/replica:0/task:0', is not a task of "
         "its cluster"),
    ],
    ids=["a leader", "no leader", "a leader of another cluster"],
)
def test_towers_in_two_processes_need_a_collective_leader(leader, expected):
    assert expected in output_within(300, textwrap.dedent(SERVERS), leader)


def test_a_monitored_session_is_checked():
    config = session_config(logical_cpus=2)
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(config=config)) as session:
        check_group_in(session, CPUS[:2], "collective()")


def test_a_collective_leader_is_needed_only_for_several_processes():
    with tf.Session(config=session_config(logical_cpus=2, collective_leader="/job:other/task:3")) as session:
        check_group_in(session, CPUS[:2], "collective()")
