"""The start of a cluster of real processes: each test is one cluster, all of whose tasks report what they raised."""
import json
import socket
import subprocess
import threading
import time

import ports
import preloaded
import pytest

from legacy_towers.cluster import barrier
from legacy_towers.cluster.addresses import check_port_is_free, parse_address
from legacy_towers.cluster.barrier import start
from legacy_towers.cluster.environment import from_environment
from legacy_towers.cluster.records import own_record
from legacy_towers.cluster.server import own_addresses
from legacy_towers.cluster.value import Task
from legacy_towers.errors import ClusterError, MissingTaskError

# Starts as the task of its arguments, and prints the error, or what its server can be reached by.
TASK = """
import json, os, socket, sys
import legacy_towers as lt
hosts, task, keywords = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
cluster = lt.cluster.from_environment({}, hosts=hosts, task=task)
if "refuse" in keywords:
    lt.cluster.refuse(cluster, keywords["refuse"], keywords["start_seconds"])
    print(json.dumps({"refused": task}))
    sys.stdout.flush()
    os._exit(0)
try:
    server = lt.cluster.start(cluster, **keywords)
except (lt.errors.ClusterError, lt.errors.MissingTaskError) as error:
    print(json.dumps({"error": type(error).__name__, "text": str(error)}))
else:
    reached = {}
    for ip in ("127.0.0.1", "127.0.0.2"):
        with socket.socket() as client:
            client.settimeout(0.3)
            reached[ip] = client.connect_ex((ip, int(cluster.address.split(":")[1]))) == 0
    print(json.dumps(reached))
sys.stdout.flush()
os._exit(0)  # a server can't be stopped
"""


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: servers are in other processes."""


def started(tasks):
    """Returns what each process prints.

    Args:
      tasks: per process the list of hosts with {0}, {1} and {2} for the addresses, its task, and keywords of `start`.
    """
    with ports.held(3) as addresses:
        addresses = [each.replace("localhost", "127.0.0.1") for each in addresses]
        processes = [
            subprocess.Popen(
                [preloaded.executable(), "-c", TASK, hosts.format(*addresses), task, json.dumps(keywords)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )
            for hosts, task, keywords in tasks
        ]
        return addresses, [json.loads(each.communicate(timeout=120)[0].decode()) for each in processes]


THREE = "worker={0},{1};ps={2}"


def test_start_returns_on_every_task_and_the_servers_are_reached_by_their_own_address_only():
    keywords = dict(job="digits", flags={"--steps": 10}, start_seconds=60)
    _, results = started([(THREE, task, keywords) for task in ("worker:0", "worker:1", "ps:0")])
    assert [(each["127.0.0.1"], each["127.0.0.2"]) for each in results] == [(True, False)] * 3


def test_start_raises_cluster_error_on_every_task_where_flags_differ():
    tasks = [("worker:0", 10), ("worker:1", 20), ("ps:0", 10)]
    _, results = started([
        (THREE, task, dict(flags={"--steps": steps}, start_seconds=60)) for task, steps in tasks
    ])
    for result in results:
        assert "worker:1 has --steps 20, and worker:0 has --steps 10" in result["text"]
    # One fault is one error, with one exit code, on every task.
    assert [each["error"] for each in results] == ["ClusterError"] * 3


def test_start_raises_missing_task_error_that_names_the_task_on_every_other_task():
    addresses, results = started([(THREE, task, dict(start_seconds=4)) for task in ("worker:0", "ps:0")])
    assert [each["error"] for each in results] == ["MissingTaskError"] * 2
    for result in results:
        assert "worker:1 at {} (nothing listens there). Start all".format(addresses[1]) in result["text"]


def test_a_start_prints_for_which_tasks_it_waits(monkeypatch, capsys):
    monkeypatch.setattr(barrier, "_TOLD_SECONDS", 0.05)
    away, there = Task("worker", 1), Task("worker", 2)
    record = own_record(cluster_of("worker=h1:1,h2:2,h3:3"), "", {}).as_json().encode()

    class StandIn:
        is_other_task, trouble = False, "no answer"

        def __init__(self, task):
            self.task, self.address = task, "node"

        def read(self):
            return (record, "") if self.task == there else (None, "DeadlineExceededError")

    with pytest.raises(MissingTaskError):
        barrier._wait(
            Task("worker", 0), [StandIn(away), StandIn(there)], threading.Condition(), time.monotonic() + 0.5,
            lambda record: True, 0.5,
        )
    line = "legacy_towers: worker:0 waits for worker:1 at node (no answer), 0 seconds more at most\n"
    assert capsys.readouterr().err == line


def test_start_raises_the_reason_of_a_task_that_refuses_on_every_other_task():
    # None of them waits for the 100 seconds.
    keywords = dict(flags={"--steps": 10}, start_seconds=100)
    _, results = started([
        (THREE, "worker:0", keywords), (THREE, "worker:1", dict(refuse="no file x", start_seconds=100)),
        (THREE, "ps:0", keywords),
    ])
    assert results[1] == {"refused": "worker:1"}
    for result in results[::2]:
        assert result["error"] == "ClusterError" and "worker:1 does not start: no file x" in result["text"]


def test_start_raises_cluster_error_on_every_task_where_hosts_have_another_order():
    swapped = "worker={1},{0};ps={2}"
    _, results = started([
        (hosts, task, dict(start_seconds=10))
        for hosts, task in ((THREE, "worker:0"), (swapped, "worker:0"), (THREE, "ps:0"))
    ])
    # A process that starts long after the others finds that they have ended.
    assert all("worker:1" in each["text"] for each in results), results
    assert any("worker:1, is that of another task: give all tasks the same list" in each["text"] for each in results)


def cluster_of(hosts, task="worker:0"):
    return from_environment({}, hosts=hosts, task=task)


@pytest.mark.parametrize("hosts, allow, message", [
    ("worker=no-such-host.invalid:2222", False, "the host 'no-such-host.invalid' does not resolve on this machine"),
    ("worker=127.0.0.1:2222,no-such-host.invalid:2222", True, "worker:1 is at no-such-host.invalid:2222"),
    ("worker=0.0.0.0:2222", False, "all interfaces of its machine, to which no other task can connect"),
    ("worker=127.0.0.1:2222,[::]:2222", False, "worker:1 has the address [::]:2222, all interfaces"),
    ("worker=0.0.0.0:2222", True, "give the machine's name or address"),
    ("worker=203.0.113.77:2222", False, "worker:0 at 203.0.113.77:2222, which is not an address of this machine"),
    ("worker=127.0.0.1:2222,203.0.113.77:2222", False, "only this machine can reach it, and worker:1 at 203.0.113.77"),
])
def test_own_addresses_refuses_hosts_that_others_or_this_machine_cannot_use(hosts, allow, message):
    with pytest.raises(ClusterError) as error:
        own_addresses(cluster_of(hosts), allow)
    assert message in str(error.value)


def test_start_raises_cluster_error_that_names_the_task_whose_port_is_in_use():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        address = "127.0.0.1:{}".format(listener.getsockname()[1])
        with pytest.raises(ClusterError, match="worker:0 is to listen on {}, and port".format(address)):
            start(cluster_of("worker=" + address))
    with ports.held(1) as (held,):  # bound by who reserves it, and free for a server
        check_port_is_free(parse_address(held, "worker:0"), "worker:0")


def test_start_raises_cluster_error_for_an_evaluator():
    with pytest.raises(ClusterError, match="evaluator:0 has no server"):
        start(cluster_of("worker=127.0.0.1:2222", "evaluator:0"))
