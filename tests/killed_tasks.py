"""A job whose workers record the ids of the examples of each step, and send a signal to a task once."""
import json
import os
import subprocess
import textwrap

import job_files
import ports
import preloaded

# The source of a job file. Each task writes its process id to a file; at the step AT, worker 1 sends
# SIGKILL, or SIGNAL, to the task KILLED, as in KILLED=ps:0 AT=4, unless it has done so. A lost task is noticed soon.
_RECORDING = """
import legacy_towers.cluster.watch
import legacy_towers.step.watch_workers

legacy_towers.cluster.watch._REFUSED_SECONDS = 1.0
legacy_towers.step.watch_workers._LEAVING_SECONDS = 0.5
CONFIG = json.loads(os.environ["TF_CONFIG"])
NAME = "{type}:{index}".format(**CONFIG["task"])
WORKERS = len(CONFIG["cluster"]["worker"])
with open("pid-" + NAME, "w") as file:
    file.write(str(os.getpid()))

def kill_once(step):
    if NAME == "worker:1" and step >= int(os.environ["AT"]) and not os.path.exists("killed"):
        open("killed", "w").close()
        with open("pid-" + os.environ["KILLED"]) as file:
            os.kill(int(file.read()), getattr(signal, os.environ.get("SIGNAL", "SIGKILL")))

class Recorder(tf.train.SessionRunHook):
    def __init__(self, step):
        self.ids = [batch["id"] for batch in step.input.per_tower]
        self.step = step
        if step.watch_hook is not None:
            step.watch_hook.seconds = 600.0

    def write(self, ids):
        with open("ids-" + NAME, "a") as file:
            file.write(json.dumps([time.time(), self.number, ids]) + "\\n")

    def after_create_session(self, session, coord):
        self.number = int(session.run(self.step.global_step))
        self.write(None)

    def before_run(self, run_context):
        kill_once(self.number + 1)
        time.sleep(0.1 if WORKERS == 1 else 0)
        return tf.train.SessionRunArgs(self.ids)

    def after_run(self, run_context, run_values):
        self.number += 1
        self.write(np.concatenate(run_values.results).tolist())

"""


def job_file(folder):
    """Writes the job file, and returns its path."""
    source = textwrap.dedent(job_files.LINE).replace("import warnings", "import json, os, signal, time, warnings")
    source = source.replace("@lt.job", _RECORDING + "@lt.job")
    source = source.replace("or None,", "or None, hooks=lambda step: [Recorder(step)],")
    return job_files.write(folder, "line.py", source)


def recorded_ids(folder):
    """Returns the ids of each step, by step and worker; steps after the checkpoint of a restart don't count."""
    lines = []
    for task in ("worker:0", "worker:1"):
        lines += [json.loads(line) + [task] for line in (folder / ("ids-" + task)).read_text().splitlines()]
    steps = {}
    for _, step, ids, task in sorted(lines):
        if ids is not None:
            steps.setdefault(step, {})[task] = ids
        elif task == "worker:0":
            steps = {each: ids for each, ids in steps.items() if each <= step}
    return steps


def words(folder, options):
    """Returns the command that trains the job on a cluster."""
    first = [preloaded.executable(), "-m", "legacy_towers", "train", job_file(folder), "--start-seconds", "240"]
    return first + options.split() + ["--checkpoint-dir", "run", "--cluster"]


class Tasks:
    """The processes of a cluster of 2 workers, without a launcher that would end them."""

    def __init__(self, folder, options, servers, **environment):
        self._held = ports.held(2 + servers)
        addresses = [each.replace("localhost", "127.0.0.1") for each in self._held.__enter__()]
        cluster = {"worker": addresses[:2]}
        if servers:
            cluster["ps"] = addresses[2:]
        self._processes = {}
        for name in ["worker:0", "worker:1"] + ["ps:{}".format(index) for index in range(servers)]:
            job, index = name.split(":")
            config = json.dumps({"cluster": cluster, "task": {"type": job, "index": int(index)}})
            self._processes[name] = subprocess.Popen(
                words(folder, options), cwd=str(folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=dict(os.environ, TF_CONFIG=config, **environment),
            )

    def ends(self, seconds=600):
        """Returns the exit code and the output of each task, by its name."""
        outputs = {name: each.communicate(timeout=seconds)[0].decode() for name, each in self._processes.items()}
        self._held.__exit__(None, None, None)
        return {name: (each.returncode, outputs[name]) for name, each in self._processes.items()}
