"""The TFJob manifest and the sbatch script of the documentation: their fields, and the environment that they set."""
import io
import json
import os
import stat
import subprocess
import sys

import pytest

from legacy_towers.cluster.environment import from_environment
from legacy_towers.cluster.launching.one_machine import launch

FILES = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "pages", "files")
# The fields that the manifest uses, with their types in the schema of the TFJob CRD (training operator 1.9). A field
# that is not in the schema is dropped by Kubernetes without a word. "*": any name.
SCHEMA = {
    "apiVersion": str, "kind": str, "metadata": {"name": str, "namespace": str},
    "spec": {
        "runPolicy": {"cleanPodPolicy": str, "backoffLimit": int},
        "tfReplicaSpecs": {"*": {
            "replicas": int, "restartPolicy": str,
            "template": {"spec": {
                "containers": [{
                    "name": str, "image": str, "command": [str], "ports": [{"name": str, "containerPort": int}],
                    "resources": {"limits": {"*": str}}, "volumeMounts": [{"name": str, "mountPath": str}],
                }],
                "volumes": [{"name": str, "persistentVolumeClaim": {"claimName": str}}],
            }},
        }},
    },
}
# srun of SLURM: runs the words after its options as each of three tasks, one after the other, with their variables.
SRUN = """#!/bin/sh
while case "$1" in -*) true;; *) false;; esac; do shift; done
for rank in 0 1 2; do
    SLURM_PROCID=$rank SLURM_LOCALID=0 SLURM_NODEID=$rank SLURMD_NODENAME=n$((rank + 1)) SLURM_JOB_NODELIST='n[1-3]' \\
        SLURM_TASKS_PER_NODE='1(x3)' SLURM_NTASKS=3 SLURM_DISTRIBUTION=block "$@" || exit 1
done
"""
# Prints the task for --check and `run`; --tf-config is our own.
COMMAND = """#!/bin/sh
case "$*" in
    *--check*) exec '{0}' -m legacy_towers cluster --cluster-port "$PORT";;
    cluster*) exec '{0}' -m legacy_towers "$@";;
    run*) echo "ran $*: $TF_CONFIG";;
esac
"""


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def parsed(lines, indent=0):
    """Returns the value of YAML lines: mappings and lists in block style, lists of words in brackets, and scalars."""
    value = None
    while lines and len(lines[0]) - len(lines[0].lstrip()) >= indent:
        line = lines[0].strip()
        if line.startswith("- "):
            value = [] if value is None else value
            lines[0] = lines[0].replace("- ", "  ", 1)
            value.append(parsed(lines, indent + 2))
            continue
        value = {} if value is None else value
        key, _, text = lines.pop(0).strip().partition(":")
        assert key not in value, "the key {!r} twice".format(key)
        if text.strip():
            value[key] = scalar(text.strip())
        else:
            deeper = len(lines[0]) - len(lines[0].lstrip())
            assert deeper > indent, "the key {!r} without a value".format(key)
            value[key] = parsed(lines, deeper)
        if lines and len(lines[0]) - len(lines[0].lstrip()) < indent:
            break
    return value


def scalar(text):
    if text.startswith("["):
        return [scalar(each.strip()) for each in text.strip("[]").split(",")]
    return int(text) if text.isdigit() else text.strip('"')


def manifest():
    with open(os.path.join(FILES, "tfjob.yaml")) as file:
        lines = [line.partition(" #")[0].rstrip() for line in file if not line.startswith("#")]
    return parsed([line for line in lines if line])


def check(value, schema, where):
    if isinstance(schema, type):
        assert isinstance(value, schema), where
    elif isinstance(schema, list):
        assert isinstance(value, list), where
        for index, each in enumerate(value):
            check(each, schema[0], "{}[{}]".format(where, index))
    else:
        assert isinstance(value, dict), where
        for key, each in value.items():
            assert key in schema or "*" in schema, "{}.{} is not in the schema".format(where, key)
            check(each, schema.get(key, schema.get("*")), "{}.{}".format(where, key))


def tf_configs(job):
    """Returns "job:index" -> TF_CONFIG, as the training operator sets it, and job -> its number of tasks."""
    replicas = {kind.lower(): spec["replicas"] for kind, spec in job["spec"]["tfReplicaSpecs"].items()}
    name, namespace = job["metadata"]["name"], job["metadata"]["namespace"]
    cluster = {
        kind: ["{}-{}-{}.{}.svc:2222".format(name, kind, index, namespace) for index in range(count)]
        for kind, count in replicas.items()
    }
    tasks = [{"type": kind, "index": index} for kind, count in replicas.items() for index in range(count)]
    configs = {
        "{type}:{index}".format(**task): {"cluster": cluster, "task": task, "environment": "cloud"} for task in tasks
    }
    return configs, replicas


def test_the_manifest_has_only_fields_of_the_tfjob_schema():
    job = manifest()
    check(job, SCHEMA, "manifest")
    assert (job["apiVersion"], job["kind"]) == ("kubeflow.org/v1", "TFJob")
    assert job["spec"]["runPolicy"]["cleanPodPolicy"] in ("None", "Running", "All")
    for kind, spec in job["spec"]["tfReplicaSpecs"].items():
        assert kind in ("Chief", "Worker", "PS", "Evaluator")
        assert spec["restartPolicy"] in ("Always", "OnFailure", "Never", "ExitCode")
        (container,) = spec["template"]["spec"]["containers"]
        assert container["name"] == "tensorflow"
        volumes = [each["name"] for each in spec["template"]["spec"]["volumes"]]
        assert [each["name"] for each in container["volumeMounts"]] == volumes


def test_the_environment_of_the_manifest_is_understood_and_is_that_of_launch():
    configs, replicas = tf_configs(manifest())
    for name, config in configs.items():
        cluster = from_environment({"TF_CONFIG": json.dumps(config)})
        assert str(cluster.task) == name and str(cluster.chief) == "chief:0"
        assert (cluster.workers, cluster.parameter_servers) == (3, 1)
    output = io.BytesIO()
    code = launch(
        ["sh", "-c", 'echo "$TF_CONFIG"'], replicas["worker"], replicas["ps"], stdout=output,
        stderr=io.BytesIO(), chief=bool(replicas["chief"]), evaluators=replicas["evaluator"],
    )
    assert code == 0
    launched = dict(line[1:].split("] ", 1) for line in output.getvalue().decode().splitlines())
    # A parameter server is ended with the others, perhaps before it prints.
    assert set(configs) - {"ps:0"} <= set(launched) <= set(configs)
    for name, text in launched.items():
        config = json.loads(text)
        assert config["task"] == configs[name]["task"]
        for job, addresses in config["cluster"].items():
            assert len(addresses) == len(configs[name]["cluster"][job])


def test_the_sbatch_script_gives_each_task_of_srun_its_tf_config(tmp_path):
    for name, text in (("srun", SRUN), ("legacy-towers", COMMAND.format(sys.executable))):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    environ = {name: value for name, value in os.environ.items() if name != "TF_CONFIG"}
    environ.update(PATH="{}:{}".format(tmp_path, os.environ["PATH"]), SLURM_JOB_ID="123")
    output = subprocess.check_output(
        ["bash", os.path.join(FILES, "train.sbatch")], env=environ, cwd=str(tmp_path), universal_newlines=True
    )
    for rank in range(3):
        assert "this is worker:{}".format(rank) in output  # of `cluster --check`, which comes first
    ran = [line.partition(": ") for line in output.splitlines() if line.startswith("ran")]
    assert [before for before, _, _ in ran] == ["ran run train.py --model_dir=model"] * 3
    for rank, (_, _, text) in enumerate(ran):
        assert json.loads(text) == {
            "cluster": {"worker": ["n1:20123", "n2:20123", "n3:20123"]}, "task": {"type": "worker", "index": rank}
        }
