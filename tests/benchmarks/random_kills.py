"""Kills random tasks of a training run over workers at random times, and checks what the run made of its data.

    python tests/benchmarks/random_kills.py --kills 50 --ps 1
    python tests/benchmarks/random_kills.py --kills 20 --ps 0 --without-launcher
    python tests/benchmarks/random_kills.py --kills 20 --elastic
    python tests/benchmarks/random_kills.py --kills 20 --ps 0 --launchers --elastic

A small net trains by `legacy-towers launch --restarts`; a task is killed by SIGKILL: the chief, another worker or a
parameter server, a few steps after the last start or during it, by a seed. With --without-launcher nothing ends the
other tasks, as on several machines: they have to notice the killed one, and all are started again when all have ended.
With --elastic the run goes on with one worker for 10 seconds after one was killed.

With --launchers each task has a launcher of its own, `legacy-towers launch --cluster`, as on several machines. Half of
the kills are at a launcher. It is started again after a second or, with --elastic, every other time after 30, when the
others have gone on without it.

Each tower records the ids of its examples before it computes its gradient. What counts are the steps of the final
history: a chief that resumes from a checkpoint forgets the steps after it. Checked is that training ends, that after
each step no id was used twice more often than another, that all towers are in each step, and that the others of a
killed task end within 30 seconds. Tasks wait 15 seconds for one that was killed before they have seen it, in place of
the default of 25, so that 15 are left for their own start and end. No other times are compared.
"""
import argparse
import collections
import io
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import ports  # noqa: E402
import preloaded  # noqa: E402

from legacy_towers.cluster.launching.elastic import Elastic, Range  # noqa: E402
from legacy_towers.cluster.launching.one_machine import launch  # noqa: E402

HANG_SECONDS = 30.0
RETURN_SECONDS = 10.0
START_SECONDS = 240.0
COUNT, PER_TOWER, TOWERS, WORKERS = 96, 4, 2, 2
STEPS_PER_EPOCH = COUNT // (PER_TOWER * TOWERS * WORKERS)
JOB = '''
"""A small net whose towers record the ids of their examples."""
import json
import os
import time
import numpy as np
import legacy_towers as lt
from legacy_towers.compat import tf

TASK = "{type}:{index}".format(**json.loads(os.environ["TF_CONFIG"])["task"])
RUN = time.time()
with open("pid-new-" + TASK, "w") as file:
    file.write(str(os.getpid()))
os.replace("pid-new-" + TASK, "pid-" + TASK)
FILE = os.open("ids-" + TASK, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def record(step, ids):
    line = json.dumps([time.time(), RUN, int(step), ids.tolist()]) + "\\n"
    os.write(FILE, line.encode())
    time.sleep(float(os.environ["STEP_SECONDS"]))
    return np.float32(0)

def points():
    x = np.random.RandomState(0).randn(%d, 3).astype(np.float32)
    return {"x": x, "y": x.dot(np.float32([1, 2, 3])), "id": np.arange(len(x))}

def model_fn(batch, mode):
    tf.set_random_seed(5)
    hidden = tf.layers.dense(batch["x"], 16, tf.tanh)
    guess = tf.layers.dense(hidden, 1)[:, 0]
    zero = tf.numpy_function(record, [tf.train.get_global_step().read_value(), batch["id"]], tf.float32)
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(guess - batch["y"])) + tf.reshape(zero, []))

@lt.job
def net():
    return lt.Job(
        model_fn, train=lt.Examples.from_arrays(points(), seed=3),
        optimizer=lambda step: tf.train.AdamOptimizer(0.01),
    )
''' % COUNT


class Launcher:
    """Starts the tasks, all again when one has ended by an error; `run` returns when training has ended."""

    def __init__(self, words, servers, environment, restarts, log, is_elastic):
        self.words, self.servers, self.environment, self.restarts, self.log = words, servers, environment, restarts, log
        self.elastic = Elastic(Range(1, WORKERS), RETURN_SECONDS) if is_elastic else None

    def run(self):
        return launch(
            self.words, WORKERS, self.servers, self.environment, 5.0, self.log, self.log, restarts=self.restarts,
            elastic=self.elastic,
        )


class NoLauncher(Launcher):
    """The same, but the tasks have to end by themselves."""

    def run(self):
        for _ in range(self.restarts + 1):
            with ports.held(WORKERS + self.servers) as held:
                addresses = [each.replace("localhost", "127.0.0.1") for each in held]
                jobs = {"worker": addresses[:WORKERS]}
                if self.servers:
                    jobs["ps"] = addresses[WORKERS:]
                tasks = [(job, index) for job, hosts in jobs.items() for index in range(len(hosts))]
                processes = [
                    subprocess.Popen(self.words, stdout=self.log, stderr=self.log, env=dict(
                        self.environment, TF_CONFIG=json.dumps({"cluster": jobs, "task": {"type": job, "index": index}})
                    )) for job, index in tasks
                ]
                codes = [each.wait() for each in processes]
            self.log.write("exit codes {}\n".format(codes).encode())
            self.log.flush()
            if not any(codes):
                return 0
        return max(codes)


class LauncherOfEach(Launcher):
    """A launcher for each task, started again after a signal has ended it."""

    def run(self):
        ended = {}
        with ports.held(WORKERS + self.servers) as held:
            addresses = [each.replace("localhost", "127.0.0.1") for each in held]
            cluster = "worker=" + ",".join(addresses[:WORKERS])
            if self.servers:
                cluster += ";ps=" + ",".join(addresses[WORKERS:])
            tasks = ["worker:{}".format(index) for index in range(WORKERS)]
            tasks += ["ps:{}".format(index) for index in range(self.servers)]
            threads = [threading.Thread(target=self._run_one, args=(cluster, task, ended)) for task in tasks]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
        return max(ended.values())

    def _run_one(self, cluster, task, ended):
        words = [sys.executable, "-m", "legacy_towers", "launch", "--cluster", cluster, "--task", task]
        words += ["--restarts", str(self.restarts)]
        words += ["--elastic", "1:2", "--join-seconds", "5", "--return-seconds", "10"] if self.elastic else []
        words += ["--shared-dir", "run", "--"] + self.words
        code, pauses = -signal.SIGKILL, itertools.cycle((30.0, 1.0) if self.elastic else (1.0,))
        while code < 0:
            process = subprocess.Popen(words, stdout=self.log, stderr=self.log, env=self.environment)
            with open("launcher-new-" + task, "w") as file:
                file.write(str(process.pid))
            os.replace("launcher-new-" + task, "launcher-" + task)
            code = process.wait()
            if code < 0:
                time.sleep(next(pauses))
        ended[task] = code


def records_of(folder, task):
    path = os.path.join(folder, "ids-" + task)
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def newest_step(folder, tasks):
    """Returns the newest run of a worker, as it names itself, and its step; (0, 0) before the first."""
    return max([(run, step) for task in tasks for _, run, step, _ in records_of(folder, task)[-1:]], default=(0, 0))


def alive(folder, task, kind="pid-"):
    """Returns the process id of a task, or of its launcher, that runs; None if it does not."""
    try:
        with open(os.path.join(folder, kind + task)) as file:
            number = int(file.read())
        with open("/proc/{}/stat".format(number)) as file:
            return None if file.read().rsplit(")", 1)[1].split()[0] in "ZX" else number
    except (OSError, ValueError):
        return None


def kill_all_by_plan(folder, tasks, options, ended, report):
    """Kills tasks until their number is reached or training has ended; notes hangs."""
    chance = random.Random(options.seed)
    workers = [each for each in tasks if not each.startswith("ps")]
    for number in range(options.kills):
        task, in_start = chance.choice(tasks), chance.random() < 0.25
        steps, delay = chance.randint(1, 2 * STEPS_PER_EPOCH), chance.random() * (3.0 if in_start else 0.2)
        begin, before, from_step = time.monotonic(), newest_step(folder, workers)[0], None
        while not ended.is_set():
            if time.monotonic() - begin > START_SECONDS:
                report("hang: no step for {:.0f} s before kill {}".format(START_SECONDS, number))
                return
            if in_start and alive(folder, task):
                break
            run, step = newest_step(folder, workers)
            if not in_start and run > before:
                from_step = step if from_step is None else from_step
                if step >= from_step + steps:
                    break
            time.sleep(0.02)
        time.sleep(delay)
        at_launcher = options.launchers and chance.random() < 0.5
        victim = alive(folder, task, "launcher-" if at_launcher else "pid-")
        if ended.is_set() or victim is None:
            continue
        others = [(each, alive(folder, each)) for each in tasks if each != task]
        os.kill(victim, signal.SIGKILL)
        begin = time.monotonic()
        report("kill {}: {}{} in step {}{}".format(
            number, "the launcher of " if at_launcher else "", task, newest_step(folder, workers)[1],
            ", while the tasks start" if in_start else "",
        ), True)
        while any(number is not None and alive(folder, each) == number for each, number in others):
            if time.monotonic() - begin > HANG_SECONDS:
                report("hang: {} run {:.0f} s after {} was killed".format(
                    [each for each, number in others if alive(folder, each) == number], HANG_SECONDS, task
                ))
                return
            time.sleep(0.05)
        report("  the others ended after {:.1f} s".format(time.monotonic() - begin), True)


def final_history(folder, workers):
    """Returns what counts, step -> worker -> the ids of each of its towers."""
    records = {task: records_of(folder, task) for task in workers}
    first_steps = {}
    for _, run, step, _ in records[workers[0]]:
        first_steps[run] = min(step, first_steps.get(run, step))
    steps = {}
    for task, lines in records.items():
        for at, _, step, ids in lines:
            if not any(at < run and step >= first for run, first in first_steps.items()):
                steps.setdefault(step, {}).setdefault(task, []).append(ids)
    return steps


def check(folder, workers, steps, is_elastic, report):
    """Reports steps of the final history that lack a tower, or after which an example has been used too often."""
    history, counts = final_history(folder, workers), collections.Counter()
    shapes = [workers, workers[:1]] if is_elastic else [workers]
    for step in range(steps):
        towers = {task: len(each) for task, each in history.get(step, {}).items()}
        if towers not in [{task: TOWERS for task in each} for each in shapes]:
            report("step {} was computed by the towers {}".format(step, towers))
        counts.update(each for ids in history.get(step, {}).values() for tower in ids for each in tower)
        used = [counts[each] for each in range(COUNT)]
        if max(used) - min(used) > 1:
            report("after step {}: {}".format(step, dict(counts)))
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ps", type=int, default=1)
    parser.add_argument("--without-launcher", action="store_true")
    parser.add_argument("--launchers", action="store_true")
    parser.add_argument("--elastic", action="store_true")
    parser.add_argument("--step-seconds", type=float, default=0.02)
    options = parser.parse_args()
    faults, kills = [], []

    def report(text, is_information=False):
        (kills if is_information else faults).append(text)
        print(text, flush=True)

    folder = tempfile.mkdtemp(prefix="random-kills-")
    here = os.getcwd()
    os.chdir(folder)
    with open("net.py", "w") as file:
        file.write(JOB)
    steps = (options.kills + 2) * STEPS_PER_EPOCH
    words = [preloaded.executable(), "-m", "legacy_towers", "train", "net.py", "--towers", str(TOWERS)]
    words += ["--per-tower-batch-size", str(PER_TOWER), "--steps", str(steps), "--save-steps", "4", "--log-every", "50"]
    words += ["--checkpoint-dir", "run", "--start-seconds", "15", "--cluster"]
    words += ["--elastic", "1:{}".format(WORKERS)] if options.elastic else []
    tasks = ["worker:{}".format(index) for index in range(WORKERS)] + ["ps:{}".format(i) for i in range(options.ps)]
    environment = dict(os.environ, STEP_SECONDS=str(options.step_seconds), PYTHONUNBUFFERED="1")
    ended, codes = threading.Event(), []
    begin = time.monotonic()
    with io.open("log", "wb") as log:
        kind = NoLauncher if options.without_launcher else LauncherOfEach if options.launchers else Launcher
        launcher = kind(words, options.ps, environment, 2 * options.kills + 5, log, options.elastic)

        def run():
            codes.append(launcher.run())
            ended.set()

        threading.Thread(target=run, daemon=True).start()
        kill_all_by_plan(folder, tasks, options, ended, report)
        if not faults:
            ended.wait(START_SECONDS + steps)
    os.chdir(here)
    workers = tasks[:WORKERS]
    if codes != [0]:
        report("training has not ended well: {}".format(codes or "it still runs"))
    else:
        check(folder, workers, steps, options.elastic, report)
    killed = sum(each.startswith("kill") for each in kills)
    alone = sum(len(each) == 1 for each in final_history(folder, workers).values())
    print("{} kills, {} steps, {} of them by one worker, {:.0f} s; {}; output in {}/log".format(
        killed, steps, alone, time.monotonic() - begin, "; ".join(faults) or "each example once per epoch", folder
    ), flush=True)
    os._exit(bool(faults))


if __name__ == "__main__":
    main()
