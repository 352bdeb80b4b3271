"""Cuts a machine off the network for a while, or drops packets, while a run trains: what its tasks print, and its data.

    python tests/benchmarks/stalled_links.py
    python tests/benchmarks/stalled_links.py --cases 5s,ever --ps 1

Each task is on a machine of its own, a network namespace, see emulated_links.py. Some steps after the start the machine
of the last worker is cut off, and joined again after the time of the case; a case such as "drop5" drops 5 % of all
packets from the start on, and one such as "kill" kills that worker in place of it. Each machine starts its task again
as often as --restarts says, when it ends by an error, and looks at no other: as Kubernetes does with
restartPolicy: OnFailure.

Printed are the lines by which tasks report each other, with the seconds since the cut, and how each run of a task
ended. Checked is that training ends, or that each task ends by an error that names another. Where it ends, after no
step may an example have been used twice more often than another, by the ids that each tower records, and the variables
must be those of an undisturbed run, which is the first case, bit for bit. No times are compared.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from emulated_links import Links
from random_kills import COUNT, JOB, PER_TOWER, TOWERS, check, newest_step

PORT, BANDWIDTH = 2222, 12.5e6
EPOCHS, STEPS_BEFORE = 12, 8
START_SECONDS, END_SECONDS = 120.0, 240.0
UNDISTURBED = "undisturbed"
# What is printed of the output: how tasks report each other, and errors.
REPORTS = (", which has", "answers again", "error:", "not ready", "process ends")


class Task:
    """A task on its machine, which starts it again when it has ended by an error."""

    def __init__(self, name, words, environment, restarts, report):
        self.name, self.codes = name, []
        self.named = False  # whether the last run has named another task
        self._words, self._environment, self._restarts, self._report = words, environment, restarts, report
        self._process = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def kill(self):
        """Kills the process."""
        if self._process is not None:
            self._process.kill()

    def _run(self):
        for _ in range(self._restarts + 1):
            self.named = False
            with open("log-" + self.name, "ab") as log:
                self._process = subprocess.Popen(
                    self._words, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                )
                for line in self._process.stdout:
                    log.write(line)
                    log.flush()
                    text = line.decode(errors="replace").strip()
                    if any(each in text for each in REPORTS):
                        self.named = True
                        self._report("{}: {}".format(self.name, text))
                self.codes.append(self._process.wait())
            self._report("{} ended with exit code {}".format(self.name, self.codes[-1]))
            if self.codes[-1] == 0:
                return
            time.sleep(1.0)


def run_case(case, options, undisturbed):
    """Runs a case in the current folder; returns what is wrong, and the variables at the end, None after an error."""
    faults, cut_at, variables = [], [], None

    def report(text):
        at = "{:.1f} s".format(time.monotonic() - cut_at[0]) if cut_at else ""
        print("  {:>6} {}".format(at, text), flush=True)

    with open("net.py", "w") as file:
        file.write(JOB)
    workers = ["worker:{}".format(index) for index in range(options.workers)]
    steps = EPOCHS * COUNT // (PER_TOWER * TOWERS * options.workers)
    names = workers + ["ps:{}".format(index) for index in range(options.ps)]
    dropped = float(case[4:]) / 100 if case.startswith("drop") else 0.0
    with Links(len(names), BANDWIDTH, dropped=dropped) as links:
        cluster = {}
        for machine, name in enumerate(names):
            cluster.setdefault(name.split(":")[0], []).append("{}:{}".format(links.address(machine), PORT))
        words = [sys.executable, "-m", "legacy_towers", "train", "net.py", "--towers", str(TOWERS)]
        words += ["--per-tower-batch-size", str(PER_TOWER), "--steps", str(steps), "--save-steps", "4"]
        words += ["--log-every", "50", "--checkpoint-dir", "run", "--cluster"]
        words += ["--start-seconds", str(options.start_seconds)]
        tasks = []
        for machine, name in enumerate(names):
            job, index = name.split(":")
            config = json.dumps({"cluster": cluster, "task": {"type": job, "index": int(index)}})
            environment = dict(
                os.environ, TF_CONFIG=config, STEP_SECONDS="0.1", PYTHONUNBUFFERED="1",
            )
            # "exec" in a namespace keeps the process id, so that a signal reaches the task.
            tasks.append(Task(name, links.inside(machine) + words, environment, options.restarts, report))
        try:
            until = time.monotonic() + START_SECONDS
            while newest_step(".", workers)[1] < STEPS_BEFORE:
                if time.monotonic() > until:
                    return ["no step {} within {:.0f} s".format(STEPS_BEFORE, START_SECONDS)], None
                time.sleep(0.05)
            cut_at.append(time.monotonic())
            if case == "kill":
                tasks[options.workers - 1].kill()
            elif not dropped and case != UNDISTURBED:
                links.cut(options.workers - 1)
                if case != "ever":
                    time.sleep(float(case.rstrip("s")))
                    links.join(options.workers - 1)
                    report("{} is on the network again".format(workers[-1]))
            for each in tasks:
                each.thread.join(max(0.0, cut_at[0] + END_SECONDS - time.monotonic()))
                if each.thread.is_alive():
                    faults.append("{} still runs after {:.0f} s".format(each.name, END_SECONDS))
        finally:
            for each in tasks:
                each.kill()
    ends = [each.codes[-1] if each.codes else None for each in tasks]
    if not any(ends):
        check(".", workers, steps, False, faults.append)
        variables = variables_of("run")
        different = [name for name in undisturbed or () if variables.get(name) != undisturbed[name]]
        faults += ["{} is not that of the undisturbed run".format(name) for name in different]
    else:
        faults += ["{} named no other task".format(each.name) for each in tasks if not each.named and not (
            case == "kill" and each is tasks[options.workers - 1]
        )]
    result = "each task named another" if any(ends) else "each example once per epoch, the same variables"
    print("  exit codes {}; {}".format(
        ", ".join("{} {}".format(each.name, each.codes) for each in tasks), "; ".join(faults) or result
    ), flush=True)
    return faults, variables


def variables_of(directory):
    """Returns the bytes of each variable of the newest checkpoint."""
    from legacy_towers.compat import tf

    reader = tf.train.load_checkpoint(directory)
    return {name: reader.get_tensor(name).tobytes() for name in reader.get_variable_to_shape_map()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", default="5s,15s,40s,ever,drop2,drop10,kill", help="5s: cut for 5 seconds")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--ps", type=int, default=0)
    parser.add_argument("--restarts", type=int, default=0)
    parser.add_argument("--start-seconds", type=float, default=60.0)
    options = parser.parse_args()
    here, faults, undisturbed = tempfile.mkdtemp(prefix="stalled-links-"), [], None
    for case in [UNDISTURBED] + options.cases.split(","):
        print("{}, {} workers and {} parameter servers, {} restarts".format(
            case, options.workers, options.ps, options.restarts
        ), flush=True)
        folder = os.path.join(here, case)
        os.mkdir(folder)
        os.chdir(folder)
        found, variables = run_case(case, options, undisturbed)
        faults += found
        undisturbed = undisturbed or variables
    print("output in {}".format(here))
    os._exit(bool(faults))


if __name__ == "__main__":
    main()
