"""What a launcher gives each task: its TF_CONFIG, its GPUs, and the placeholders of its command."""
import json
import re
from typing import Dict, List, Mapping, Sequence

from legacy_towers.cluster.value import CHIEF, EVALUATOR, PARAMETER_SERVER, WORKER, Task
from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import counted

_PLACEHOLDER = re.compile(r"(?<!\$)\{(\w+)\}")


def filled(word: str, jobs: Mapping[str, List[str]], task: Task) -> str:
    """Returns a word of the command with the values of its placeholders; "${task_index}" is one of the shell's.

    Args:
      jobs: job -> the addresses of its tasks.
    """
    values = {"job_name": task.type, "task_index": str(task.task_index)}
    for job in (CHIEF, WORKER, PARAMETER_SERVER):
        values[job + "_hosts"] = ",".join(jobs.get(job, ()))
    return _PLACEHOLDER.sub(lambda match: values.get(match.group(1), match.group(0)), word)


def environment_of(environ: Mapping[str, str], jobs: Mapping[str, List[str]], task: Task) -> Dict[str, str]:
    """Returns the environment of a task: `environ` and its TF_CONFIG.

    The evaluator's address is in its own TF_CONFIG alone: the others don't connect to it.
    """
    cluster = {job: addresses for job, addresses in jobs.items() if job != EVALUATOR or job == task.type}
    config = json.dumps({"cluster": cluster, "task": {"type": task.type, "index": task.task_index}})
    # Unbuffered: what a task prints must not wait until it ends.
    return dict(environ, TF_CONFIG=config, PYTHONUNBUFFERED="1")


def gpus_of(environ: Mapping[str, str], tasks: Sequence[Task], per_worker: int) -> Dict[Task, str]:
    """Returns the CUDA_VISIBLE_DEVICES of each task: GPUs of its own for each that trains, none for the others.

    Without it each process would take the memory of all GPUs.

    Args:
      environ: its CUDA_VISIBLE_DEVICES, if there is one, names the GPUs to divide; else they are 0, 1, 2, ...

    Raises:
      ArgumentError: it names too few.
    """
    training = [task for task in tasks if task.type in (CHIEF, WORKER)]
    needed = per_worker * len(training)
    given = environ.get("CUDA_VISIBLE_DEVICES")
    names = list(map(str, range(needed))) if given is None else [each for each in given.split(",") if each]
    if len(names) < needed:
        raise ArgumentError("--gpus-per-worker {} for {} needs {}: CUDA_VISIBLE_DEVICES={} has {}".format(
            per_worker, counted(len(training), "worker"), counted(needed, "GPU"), given, len(names)
        ))
    found = dict.fromkeys(tasks, "")
    for number, task in enumerate(training):
        found[task] = ",".join(names[number * per_worker:(number + 1) * per_worker])
    return found
