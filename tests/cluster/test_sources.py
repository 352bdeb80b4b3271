"""What each source makes of the environment, without TensorFlow."""
import json

import pytest

from legacy_towers.cluster.environment import from_environment
from legacy_towers.cluster.sources.hosts import parse_hosts
from legacy_towers.cluster.sources.slurm_names import counts_per_node, node_names
from legacy_towers.cluster.value import Cluster, Task
from legacy_towers.errors import ClusterError


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def config(cluster, task_type="worker", index=0, **more):
    return {"TF_CONFIG": json.dumps(dict(cluster=cluster, task={"type": task_type, "index": index}, **more))}


def slurm(rank, nodes="n[1-2]", per_node="2,1", tasks="3", **more):
    return dict(
        {"SLURM_PROCID": str(rank), "SLURM_JOB_NODELIST": nodes, "SLURM_TASKS_PER_NODE": per_node,
         "SLURM_NTASKS": tasks}, **more
    )


def openmpi(rank, size=3, **more):
    return dict({"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(size)}, **more)


def mpich(rank, size=3):
    return {"PMI_RANK": str(rank), "PMI_SIZE": str(size)}


TWO = {"worker": ["a:1", "b:1"], "ps": ["c:1"]}
KUBEFLOW = {"chief": ["j-chief-0.ns.svc:2222"], "worker": ["j-worker-0.ns.svc:2222"], "ps": ["j-ps-0.ns.svc:2222"]}
HOSTS = "node1 slots=2  # rack 1\n\nnode2 slots = 1 max_slots=4\n"
COLONS = "node1:2\nnode2\n"

FOUND = [
    ("hosts", {}, dict(hosts="worker=a:1,b:1; ps=c:1", task="worker:1"), TWO, "worker:1", "worker:0"),
    ("hosts before TF_CONFIG", config(TWO), dict(hosts="worker=x:1", task="worker:0"), {"worker": ["x:1"]}, "worker:0",
     "worker:0"),
    ("TF_CONFIG", config(TWO, "ps"), {}, TWO, "ps:0", "worker:0"),
    ("TF_CONFIG of Kubeflow", config(KUBEFLOW, environment="cloud"), {}, KUBEFLOW, "worker:0", "chief:0"),
    ("TF_CONFIG with master", config({"master": ["m:1"], "worker": ["w:1"]}, "master"), {},
     {"chief": ["m:1"], "worker": ["w:1"]}, "chief:0", "chief:0"),
    ("evaluator without an address", config(TWO, "evaluator"), {}, TWO, "evaluator:0", "worker:0"),
    ("index as text", config(TWO, index="1"), {}, TWO, "worker:1", "worker:0"),
    ("IPv6", {}, dict(hosts="worker=[fe80::1]:2222,[::1]:2222", task="worker:1"),
     {"worker": ["[fe80::1]:2222", "[::1]:2222"]}, "worker:1", "worker:0"),
    ("SLURM", slurm(1), {}, {"worker": ["n1:2222", "n1:2223", "n2:2222"]}, "worker:1", "worker:0"),
    ("SLURM with a parameter server", slurm(2), dict(port=5000, parameter_servers=1),
     {"worker": ["n1:5000", "n1:5001"], "ps": ["n2:5000"]}, "ps:0", "worker:0"),
    ("step of SLURM", slurm(0, "n[1-9]", "1(x9)", "9", SLURM_STEP_NODELIST="n3", SLURM_STEP_TASKS_PER_NODE="2",
                            SLURM_STEP_NUM_TASKS="2"), {}, {"worker": ["n3:2222", "n3:2223"]}, "worker:0", "worker:0"),
    ("TF_CONFIG before SLURM", dict(slurm(0), **config(TWO)), {}, TWO, "worker:0", "worker:0"),
    ("OpenMPI", openmpi(2), dict(hostfile=HOSTS), {"worker": ["node1:2222", "node1:2223", "node2:2222"]}, "worker:2",
     "worker:0"),
    ("OpenMPI below SLURM", dict(openmpi(0, 1), **slurm(0)), dict(hostfile=HOSTS), {"worker": ["node1:2222"]},
     "worker:0", "worker:0"),
    ("OpenMPI in a job of SLURM", openmpi(3, 4, OMPI_COMM_WORLD_LOCAL_SIZE="2", OMPI_COMM_WORLD_LOCAL_RANK="1",
                                          SLURM_JOB_NODELIST="n[1-2]", SLURMD_NODENAME="n2", SLURM_PROCID="1"), {},
     {"worker": ["n1:2222", "n1:2223", "n2:2222", "n2:2223"]}, "worker:3", "worker:0"),
    ("places of SLURM", slurm(2, SLURM_NODEID="1", SLURM_LOCALID="0", SLURM_DISTRIBUTION="block:cyclic",
                              SLURMD_NODENAME="N2"), {},
     {"worker": ["n1:2222", "n1:2223", "n2:2222"]}, "worker:2", "worker:0"),
    ("hosts in upper case", config({"worker": ["H1:2222", "[FE80::1%Eth0]:1"]}), {},
     {"worker": ["h1:2222", "[fe80::1%Eth0]:1"]}, "worker:0", "worker:0"),
    ("MPICH", mpich(2), dict(hostfile=COLONS), {"worker": ["node1:2222", "node1:2223", "node2:2222"]}, "worker:2",
     "worker:0"),
    ("SLURM with PMI", dict(slurm(1), **mpich(1)), {}, {"worker": ["n1:2222", "n1:2223", "n2:2222"]}, "worker:1",
     "worker:0"),
]


def read(environ, options, folder):
    if options.get("hostfile", "").count("\n"):
        path = folder / "hosts"
        path.write_text(options["hostfile"])
        options = dict(options, hostfile=str(path))
    return from_environment(environ, **options)


@pytest.mark.parametrize(
    "environ, options, jobs, task, chief", [row[1:] for row in FOUND], ids=[row[0] for row in FOUND]
)
def test_from_environment_reads_tasks_addresses_and_chief(environ, options, jobs, task, chief, tmp_path):
    cluster = read(environ, options, tmp_path)
    assert cluster.to_dict() == jobs
    assert (str(cluster.task), str(cluster.chief)) == (task, chief)
    assert cluster.is_chief == (task == chief)
    assert cluster.workers == sum(len(jobs.get(job, ())) for job in ("chief", "worker"))
    assert cluster.parameter_servers == len(jobs.get("ps", ()))
    for name, value in cluster.variables:
        assert "read {}={}".format(name, value) in str(cluster)


CONTRADICTIONS = [
    ("nothing", {}, {}, "--cluster JOB=HOST:PORT,... --task JOB:INDEX; TF_CONFIG; OMPI_COMM_WORLD_RANK"),
    ("task alone", {}, dict(task="worker:0"), "--task worker:0 (task) needs --cluster"),
    ("no task", {}, dict(hosts="worker=a:1"), "needs --task"),
    ("task without an index", {}, dict(hosts="worker=a:1", task="worker"), "--task is 'worker'"),
    ("job twice", {}, dict(hosts="worker=a:1;worker=b:1", task="worker:0"), "names the job 'worker' twice"),
    ("no job name", {}, dict(hosts="a:1,b:1", task="worker:0"), "write each job as in worker=host1:2222"),
    ("unknown job", {}, dict(hosts="wroker=a:1", task="worker:0"), "did you mean 'worker'?"),
    ("two chiefs", config({"chief": ["a:1", "b:1"]}, "chief"), {}, "TF_CONFIG has 2 chiefs (a:1 and b:1)"),
    ("chief and master", config({"chief": ["a:1"], "master": ["b:1"]}, "chief"), {}, "TF_CONFIG has two chiefs"),
    ("index beyond", config(TWO, index=2), {}, "this process is worker:2, and the cluster has 2 workers (a:1, b:1)"),
    ("negative index", config(TWO, index=-1), {}, "the index of this worker is -1"),
    ("job without tasks", config({"worker": ["a:1"]}, "ps"), {}, "this process is ps:0, and the cluster has no ps"),
    ("same address", config({"worker": ["a:1"], "ps": ["a:1"]}), {}, "worker:0 and ps:0 have the same address, a:1"),
    ("no port", config({"worker": ["a"]}), {}, "TF_CONFIG: worker:0 has the address 'a'"),
    ("scheme", config({"worker": ["grpc://a:1"]}), {}, "has the address 'grpc://a:1'"),
    ("port 0", config({"worker": ["a:0"]}), {}, "a port from 1 to 65535"),
    ("port 70000", config({"worker": ["a:70000"]}), {}, "a port from 1 to 65535"),
    ("no list", config({"worker": "a:1"}), {}, "the addresses of 'worker' are 'a:1'"),
    ("only ps", config({"ps": ["a:1"]}, "ps"), {}, "neither a chief nor a worker"),
    ("no JSON", {"TF_CONFIG": "{"}, {}, "TF_CONFIG is not JSON"),
    ("JSON list", {"TF_CONFIG": "[]"}, {}, "an object with 'cluster' and 'task'"),
    ("no cluster", {"TF_CONFIG": '{"task": {"type": "worker", "index": 0}}'}, {}, "TF_CONFIG has no 'cluster'"),
    ("no index", {"TF_CONFIG": '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker"}}'}, {}, "no 'index'"),
    ("sparse cluster", config({"worker": ["a:1"]}, sparseCluster={}), {}, "enableDynamicWorker"),
    ("SLURM without nodes", {"SLURM_PROCID": "0"}, {}, "start the tasks by srun"),
    ("rank of SLURM", slurm(3), {}, "this process has rank 3, and the ranks of 3 tasks are 0 to 2"),
    ("rank is text", slurm("x"), {}, "SLURM_PROCID is 'x'"),
    ("tasks of SLURM", slurm(0, tasks="4"), {}, "these contradict each other"),
    ("cyclic ranks", slurm(1, SLURMD_NODENAME="n2"), {}, "--distribution=block"),
    ("local rank of SLURM", slurm(1, SLURM_LOCALID="0"), {},
     "SLURM_LOCALID is 0 for SLURM_PROCID 1, where 2, 1 tasks on the nodes n1, n2 make it 1: give srun --distribution"),
    ("node of SLURM", slurm(1, SLURM_NODEID="1"), {}, "SLURM_NODEID is 1 for SLURM_PROCID 1"),
    ("tasks per node of SLURM", slurm(2, per_node="1,2", SLURM_LOCALID="0"), {}, "SLURM_LOCALID is 0"),
    ("cyclic distribution", slurm(0, SLURM_DISTRIBUTION="cyclic"), {}, "SLURM_DISTRIBUTION is 'cyclic': give srun"),
    ("plane distribution", slurm(0, SLURM_DISTRIBUTION="plane=2"), {}, "SLURM_DISTRIBUTION is 'plane=2'"),
    ("same host in other case", config({"worker": ["h1:1", "H1:1"]}), {}, "worker:0 and worker:1 have the same"),
    ("mpiexec without hostfile", mpich(0), {}, "give the hostfile of mpiexec by --cluster-hostfile"),
    ("uneven OpenMPI in SLURM", openmpi(0, 3, OMPI_COMM_WORLD_LOCAL_SIZE="2", SLURM_JOB_NODELIST="n[1-2]"), {},
     "the same number of tasks on each is needed, else give the hostfile of mpirun"),
    ("node of OpenMPI in SLURM", openmpi(1, 2, OMPI_COMM_WORLD_LOCAL_SIZE="1", SLURM_JOB_NODELIST="n[1-2]",
                                         SLURMD_NODENAME="n1"), {}, "rank 1 is on the node n1, where"),
    ("all parameter servers", slurm(0), dict(parameter_servers=3), "--cluster-ps (parameter_servers) is 3: it must"),
    ("ps option beside TF_CONFIG", config(TWO), dict(parameter_servers=1),
     "--cluster-ps 1 (parameter_servers) has no meaning where TF_CONFIG describes the cluster"),
    ("port option beside hosts", {}, dict(hosts="worker=a:1", task="worker:0", port=9),
     "--cluster-port 9 (port) has no meaning where --cluster describes"),
    ("hostfile beside SLURM", slurm(0), dict(hostfile="hosts"), "--cluster-hostfile hosts (hostfile) has no meaning"),
    ("ports beyond", slurm(1), dict(port=65535), "SLURM: task 1 has the address 'n1:65536'"),
    ("MPI without hostfile", openmpi(0), {}, "give the hostfile of mpirun by --cluster-hostfile"),
    ("MPICH without size", {"PMI_RANK": "0"}, {}, "PMI_SIZE is not set"),
    ("hostfile that is missing", openmpi(0), dict(hostfile="/no/such/file"), "is not a file"),
    ("hostfile is short", openmpi(0, 4), dict(hostfile=HOSTS), "has 3 slots"),
    ("hostfile with a host twice", openmpi(0), dict(hostfile="a\na\n"), "line 2 of the hostfile"),
    ("hostfile is no hostfile", openmpi(0), dict(hostfile="a b c\n"), "line 1 of the hostfile"),
    ("local rank", openmpi(1, OMPI_COMM_WORLD_LOCAL_RANK="0"), dict(hostfile=HOSTS), "mpirun --map-by slot"),
]


@pytest.mark.parametrize(
    "environ, options, message", [row[1:] for row in CONTRADICTIONS], ids=[row[0] for row in CONTRADICTIONS]
)
def test_contradictions_are_errors_that_say_what_to_do(environ, options, message, tmp_path):
    with pytest.raises(ClusterError) as error:
        read(environ, options, tmp_path)
    assert message in str(error.value)


def test_sources_that_are_not_used_are_printed():
    cluster = from_environment(dict(config(TWO), **slurm(0)))
    assert cluster.unused == ("SLURM: TF_CONFIG is more explicit",)
    assert "not used: SLURM: TF_CONFIG is more explicit" in str(cluster)


def test_a_cluster_is_a_frozen_value():
    cluster = from_environment(config(TWO))
    assert isinstance(cluster, Cluster) and hash(cluster) == hash(from_environment(config(TWO)))
    assert (cluster.task_type, cluster.task_index, cluster.address) == ("worker", 0, "a:1")
    assert Task("worker", 1).device == "/job:worker/task:1"
    with pytest.raises(AttributeError):
        cluster.task = Task("ps", 0)


@pytest.mark.parametrize("text, names", [
    ("n1", ["n1"]),
    ("n[1-3]", ["n1", "n2", "n3"]),
    ("n[08-10]", ["n08", "n09", "n10"]),
    ("a,n[1,3-4],b", ["a", "n1", "n3", "n4", "b"]),
    ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
    ("n[1-2].local", ["n1.local", "n2.local"]),
])
def test_node_names_expands_brackets(text, names):
    assert node_names(text, "SLURM_JOB_NODELIST") == names


@pytest.mark.parametrize("text", ["", "n[1", "n1]", "n[1-]", "n[a-b]", "n[3-1]", "n[[1]]", "a,,b", "n[1-999999999]"])
def test_node_names_refuses_what_is_not_a_node_list(text):
    with pytest.raises(ClusterError, match="SLURM_JOB_NODELIST"):
        node_names(text, "SLURM_JOB_NODELIST")


def test_counts_per_node_repeats():
    assert counts_per_node("2(x3),1", "V") == [2, 2, 2, 1]
    with pytest.raises(ClusterError, match="V is '2x3'"):
        counts_per_node("2x3", "V")


def test_parse_hosts_ignores_spaces():
    assert parse_hosts(" worker = a:1 , b:1 ; ") == {"worker": ["a:1", "b:1"]}
