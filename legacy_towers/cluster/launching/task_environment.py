"""What a launcher gives each task: its TF_CONFIG, and the placeholders of its command."""
import json
import re
from typing import Dict, List, Mapping

from legacy_towers.cluster.value import CHIEF, EVALUATOR, PARAMETER_SERVER, WORKER, Task

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
