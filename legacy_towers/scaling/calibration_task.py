"""`python -m legacy_towers.scaling.calibration_task FOLDER SHARE`: one task of the cluster of `calibrate`.

Worker 0 prints, as JSON, the wall and CPU seconds of a step for each kind of training and each model.
"""
import json
import os
import signal
import sys
import time
from typing import Any, Dict, List

from legacy_towers.cluster.barrier import start
from legacy_towers.cluster.environment import from_environment
from legacy_towers.cluster.finished import publish_finished
from legacy_towers.cluster.value import PARAMETER_SERVER
from legacy_towers.cluster.worker_config import session_config as config_of_worker
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.devices import cpus
from legacy_towers.inputs import from_tensors
from legacy_towers.scaling.calibration_models import MODELS, ONE_PROCESS, RESULT_PREFIX
from legacy_towers.step import build_train_step
from legacy_towers.towers.output import TowerOutput
from legacy_towers.training.monitored_session import session as training_session

STRATEGIES = ("replicated", "parameter_server", "asynchronous")
_WARM_UP = 5


def main(folder: str, share: float) -> None:
    """Trains all models as this task; the parameter server serves until it is ended.

    Args:
      share: of the steps of `MODELS`.
    """
    tf.logging.set_verbosity(tf.logging.ERROR)
    cluster = from_environment()
    config = config_of_worker(cluster)
    server = start(cluster, config=config, start_seconds=120)
    path = os.path.join(folder, "server")
    if cluster.task_type == PARAMETER_SERVER:
        # It does not count who has finished: each worker leaves a session per model, and would wait 5 seconds for that.
        publish_finished(cluster, server, {str(task) for task in cluster.training_tasks})
        with open(path + ".new", "w") as file:
            file.write(str(os.getpid()))
        os.rename(path + ".new", path)
        # Not server.join(), in which Python does not notice the SIGTERM that ends it.
        signal.pause()
        return
    while not os.path.exists(path):
        time.sleep(0.05)
    with open(path) as file:
        server_pid = int(file.read())
    found: Dict[str, Dict[str, Any]] = {}
    for strategy in STRATEGIES:
        for model in MODELS:
            measured = _measured(model, strategy, cluster, server.target, server_pid, share)
            found.setdefault(strategy, {})[model] = measured
    if cluster.is_chief:
        # The other worker has nothing to do then.
        found[ONE_PROCESS] = {
            model: _measured(model, "parameter_server", None, "", server_pid, share) for model in MODELS
        }
        print(RESULT_PREFIX + json.dumps(dict(found, tensorflow=tf.__version__)), flush=True)


def _measured(model: str, strategy: str, cluster: Any, target: str, server_pid: int, share: float) -> Dict[str, float]:
    """Returns the wall seconds and the CPU seconds of a step, of this process and of the parameter server.

    Asynchronous workers run as many steps as they can until the chief has run its own: nothing is returned for one that
    did not complete the warm-up.
    """
    count, values, steps = MODELS[model]
    steps = max(1, int(share * steps))
    if strategy == "replicated":
        # Workers reduce between themselves where the cluster has no parameter servers.
        cluster = cluster._replace(jobs=tuple(job for job in cluster.jobs if job[0] != PARAMETER_SERVER))

    def model_fn(batch: Any, mode: str) -> Any:
        zeros = tf.zeros_initializer()
        variables = [tf.get_variable("v{}".format(each), [values], initializer=zeros) for each in range(count)]
        return TowerOutput(loss=tf.add_n([tf.reduce_sum(each * batch["x"]) for each in variables]))

    config = session_config() if cluster is None else config_of_worker(cluster)
    # A server keeps variables from one session to the next. The name can have no underscore.
    with tf.Graph().as_default(), tf.container("{}.{}".format(strategy, model).replace("_", ".")):
        step = build_train_step(
            model_fn, from_tensors([{"x": tf.constant([1e-6])}]), tf.train.GradientDescentOptimizer(1e-6),
            cpus(1), variables=strategy, cluster=cluster,
        )
        # All end when the chief has run its steps.
        hooks = [StopAfter(_WARM_UP + steps)] if cluster is None or cluster.is_chief else []
        seconds: List[float] = []
        cpu = server_cpu = 0.0
        with training_session(step, None, hooks=hooks, config=config, target=target) as session:
            while not session.should_stop():
                if len(seconds) == _WARM_UP:
                    cpu, server_cpu = time.process_time(), _cpu_seconds(server_pid)
                before = time.perf_counter()
                session.run(step.train_op)
                seconds.append(time.perf_counter() - before)
            cpu, server_cpu = time.process_time() - cpu, _cpu_seconds(server_pid) - server_cpu
    timed = seconds[_WARM_UP:]
    if not timed:
        return {}
    return {
        "seconds": sorted(timed)[len(timed) // 2], "cpu_seconds": cpu / len(timed),
        "server_cpu_seconds": server_cpu / len(timed),
    }


class StopAfter(tf.train.SessionRunHook):
    """Asks to stop after a number of runs."""

    def __init__(self, runs: int) -> None:
        self._left = runs

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._left -= 1
        if self._left <= 0:
            run_context.request_stop()


def _cpu_seconds(process: int) -> float:
    # The clock of another process has this number on Linux (clock_getcpuclockid), and nanoseconds, where /proc has
    # hundredths of a second.
    return time.clock_gettime((~process << 3) | 2)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
