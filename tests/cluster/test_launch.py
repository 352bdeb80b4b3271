"""`launch` on programs of the shell: output, exit codes, and the end of all tasks. No TensorFlow in them."""
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import waiting
from commands import command

from legacy_towers.cluster.environment import from_environment
from legacy_towers.cluster.launching import remaining
from legacy_towers.cluster.launching.elastic import Elastic, Range
from legacy_towers.cluster.launching.guard import Guard
from legacy_towers.cluster.launching.one_machine import launch
from legacy_towers.errors import ArgumentError

# Tasks that would run longer than any test.
WAIT = "sleep 60"


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def shell(program, workers=2, parameter_servers=0, grace_seconds=5.0, words=(), **tasks):
    """Launches a program of the shell; returns the exit code, the lines of its output, and those of messages."""
    output, messages = io.BytesIO(), io.BytesIO()
    command_line = ["sh", "-c", program] + list(words)
    code = launch(
        command_line, workers, parameter_servers, dict(os.environ), grace_seconds, output, messages, **tasks
    )
    return code, output.getvalue().decode().splitlines(), messages.getvalue().decode().splitlines()


def of_task(task, program, others="true"):
    """Returns a program that runs one thing as `task`, such as "worker 1", and another as the other tasks."""
    job, index = task.split()
    condition = '*"\\"type\\": \\"{}\\""*"\\"index\\": {}"*|*"\\"index\\": {}"*"\\"type\\": \\"{}\\""*'
    patterns = condition.format(job, index, index, job)
    return 'case "${{TF_CONFIG#*task}}" in {}) {};; *) {};; esac'.format(patterns, program, others)


def test_launch_gives_each_task_its_tf_config_and_prefixes_its_output(tmp_path):
    # The workers end when all three tasks have printed: the parameter server is ended then.
    wait = "touch {0}/$$; while [ $(ls {0} | wc -l) -lt 3 ]; do sleep 0.02; done".format(tmp_path)
    code, output, messages = shell('echo "$TF_CONFIG"; echo problem >&2; ' + wait, parameter_servers=1)
    assert code == 0
    configs = {line.split("] ")[0][1:]: json.loads(line.split("] ", 1)[1]) for line in output}
    assert sorted(configs) == ["ps:0", "worker:0", "worker:1"]
    assert configs["worker:1"]["task"] == {"type": "worker", "index": 1}
    clusters = [each["cluster"] for each in configs.values()]
    assert clusters[0] == clusters[1] == clusters[2]
    addresses = clusters[0]["worker"] + clusters[0]["ps"]
    assert len(set(addresses)) == 3 and all(each.startswith("127.0.0.1:") for each in addresses)
    assert sorted(messages) == ["[ps:0] problem", "[worker:0] problem", "[worker:1] problem"]


def test_chief_and_evaluator_have_a_tf_config_as_tf_estimator_wants_it():
    code, output, _ = shell('echo "$TF_CONFIG"', workers=1, chief=True, evaluators=1)
    configs = {line.split("] ")[0][1:]: json.loads(line.split("] ", 1)[1]) for line in output}
    assert code == 0 and sorted(configs) == ["chief:0", "evaluator:0", "worker:0"]
    for name, config in configs.items():
        assert "{type}:{index}".format(**config["task"]) == name
        # An evaluator is not among the tasks that connect to each other; strategies need its own address.
        own = {"evaluator": 1} if name == "evaluator:0" else {}
        assert {job: len(tasks) for job, tasks in config["cluster"].items()} == dict(own, chief=1, worker=1)
        assert str(from_environment({"TF_CONFIG": json.dumps(config)}).task) == name


def test_placeholders_in_the_command_are_the_flags_of_each_task():
    flags = "--job_name={job_name} --task_index={task_index} --ps_hosts={ps_hosts} --worker_hosts={worker_hosts}"
    code, output, _ = shell(
        'task_index=7; echo "${task_index}" "$@"; echo "$TF_CONFIG"', parameter_servers=1,
        words=["name"] + flags.split() + ["{other}"],
    )
    assert code == 0
    jobs = json.loads(next(line for line in output if "cluster" in line).split("] ", 1)[1])["cluster"]
    hosts = "--ps_hosts={} --worker_hosts={}".format(",".join(jobs["ps"]), ",".join(jobs["worker"]))
    for index in range(2):  # `task_index` of the shell stays
        assert "[worker:{0}] 7 --job_name=worker --task_index={0} {1} {{other}}".format(index, hosts) in output


def test_an_evaluator_is_waited_for():
    program = 'case "$TF_CONFIG" in *evaluator*) sleep 0.5; echo evaluated;; esac'
    code, output, _ = shell(program, workers=1, evaluators=1)
    assert (code, output) == (0, ["[evaluator:0] evaluated"])


@pytest.mark.parametrize("ending, code, sentence", [
    ("exit 2", 2, "worker:1 ended with exit code 2; ending the other 2 tasks"),
    ("exit 3", 3, "worker:1 ended with exit code 3; ending the other 2 tasks"),
    ("kill -9 $$", 1, "worker:1 was ended by SIGKILL; ending the other 2 tasks"),
])
def test_a_task_that_fails_ends_the_others(ending, code, sentence):
    result, _, messages = shell(of_task("worker 1", "sleep 0.3; " + ending, WAIT), parameter_servers=1)
    assert result == code
    assert messages[-1] == "legacy-towers launch: " + sentence


def test_parameter_servers_are_ended_when_all_workers_have():
    code, output, _ = shell(of_task("ps 0", WAIT, "echo done"), parameter_servers=1)
    assert code == 0
    assert output == ["[worker:0] done", "[worker:1] done"] or output == ["[worker:1] done", "[worker:0] done"]


def test_launch_names_the_tasks_that_still_run_after_another_has_ended(monkeypatch, tmp_path):
    monkeypatch.setattr(remaining, "_SECONDS", 0.25)
    reported = tmp_path / "reported"

    class Messages(io.BytesIO):
        def write(self, text):
            reported.touch()
            return super().write(text)

    messages = Messages()
    # Workers 1 and 2 end when the message is there: it is printed once.
    wait = "while [ ! -e {} ]; do sleep 0.05; done; sleep 0.5".format(reported)
    program = of_task("worker 0", "true", wait)
    code = launch(["sh", "-c", program], 3, 1, dict(os.environ), 5.0, io.BytesIO(), messages)
    assert code == 0
    assert messages.getvalue().decode() == (
        "legacy-towers launch: worker:0 ended 0.25 seconds ago with exit code 0, and worker:1 and worker:2 still run: "
        "if they wait for a task that has ended, or serve without end, Ctrl-C ends them\n"
    )


def test_a_task_that_ignores_sigterm_is_killed_with_its_children():
    begin = time.monotonic()
    ignores = "trap '' TERM; sleep 60 & sleep 60; sleep 60"
    code, _, _ = shell(of_task("worker 0", "sleep 0.3; exit 1", ignores), grace_seconds=0.5)
    assert code == 1
    assert time.monotonic() - begin < 30  # not the 60 seconds of the children, which hold the output open


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"])
def test_a_signal_ends_all_tasks(number, code):
    tasks = 'trap "echo ended; exit 0" TERM INT; echo up; while true; do sleep 0.05; done'
    with subprocess.Popen(
        [sys.executable, "-m", "legacy_towers", "launch", "--workers", "2", "--", "sh", "-c", tasks],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, cwd=os.path.dirname(__file__),
    ) as launcher:
        timer = threading.Timer(60, launcher.kill)
        timer.start()
        up = sorted(launcher.stdout.readline() for _ in range(2))
        launcher.send_signal(number)
        output, messages = launcher.communicate()
        timer.cancel()
    assert up == ["[worker:0] up\n", "[worker:1] up\n"]
    assert sorted(output.splitlines()) == ["[worker:0] ended", "[worker:1] ended"]
    assert "{} received: ending 2 tasks".format(number.name) in messages
    assert launcher.returncode == code


@pytest.mark.parametrize("failure, ending, code", [
    ("exit 3", "ended with exit code 3", 3), ("kill -9 $$", "was ended by SIGKILL", 1),
])
def test_an_optional_task_that_fails_does_not_end_the_others(failure, ending, code, tmp_path):
    # The worker ends when the message is there that the evaluator has failed.
    said = tmp_path / "said"
    program = of_task("evaluator 0", failure, "while [ ! -e {} ]; do sleep 0.02; done; echo trained".format(said))

    class Messages(io.BytesIO):
        def write(self, text):
            if b"go on without it" in text:
                said.write_text("")
            return super().write(text)

    output, messages = io.BytesIO(), Messages()
    result = launch(
        ["sh", "-c", program], 1, 0, dict(os.environ), 5.0, output, messages, evaluators=1, restarts=2,
        optional=("evaluator",),
    )
    assert (result, output.getvalue()) == (code, b"[worker:0] trained\n")
    assert messages.getvalue().decode().splitlines() == [
        "legacy-towers launch: evaluator:0 {}; the others go on without it".format(ending)
    ]


@pytest.mark.parametrize("words, message", [
    ("launch --workers 2", "there is no command to launch"),
    ("launch --workers 0 -- true", "--workers is 0 and --ps 0: at least one worker"),
    ("launch --workers -1 --chief -- true", "--workers is -1"),
    ("launch --evaluators 2 -- true", "--evaluators is 2: there is one evaluator or none"),
    ("launch true", "write the command after --"),
    ("launch -- no-such-program", "'no-such-program' is neither a program nor one of the subcommands train, cluster"),
    ("launch -- clustr", "did you mean 'cluster'?"),
    ("launch --towers 2 -- true", "--towers is an option of `train`"),
    ("launch --towers 2 -- train job.py --towers 1", "--towers is given to launch and to train: give it once"),
    ("launch --restarts 1 -- train job.py", "--restarts needs a checkpoint to resume from"),
    ("launch --restarts -1 -- true", "--restarts is -1"),
    ("launch --gpus-per-worker -1 -- true", "--gpus-per-worker is -1"),
    ("launch --elastic 2 -- true", "--elastic is '2': give the least and the largest number of workers"),
    ("launch --elastic 3:2 -- true", "--elastic is '3:2'"),
    ("launch --elastic 0:2 -- true", "--elastic is '0:2'"),
    ("launch --elastic 1:2 --workers 2 -- true", "--elastic 1:2 says how many workers train: leave out --workers"),
    ("launch --elastic 1:2 -- train job.py", "--elastic needs a checkpoint to resume from"),
    ("launch --elastic 1:2 --return-seconds 0 -- true", "--return-seconds is 0"),
    ("launch --return-seconds 5 -- true", "--return-seconds has no effect without --elastic"),
])
def test_wrong_arguments_of_launch_are_refused(words, message, capsys):
    assert command(words) == 2
    assert message in capsys.readouterr().err


def test_a_program_that_cannot_run_is_an_error():
    with pytest.raises(ArgumentError, match="can't run '/': Permission denied"):
        launch(["/"], 1)


def test_tasks_that_fail_are_started_again(tmp_path):
    # Worker 1 fails in its first and second run.
    program = of_task("worker 1", "echo run >> {0}/runs; [ $(wc -l < {0}/runs) -gt 2 ]".format(tmp_path), "true")
    code, _, messages = shell(program, restarts=3)
    assert code == 0
    assert [line for line in messages if "starting" in line] == [
        "legacy-towers launch: starting all 2 tasks again, 1 of 3 restarts",
        "legacy-towers launch: starting all 2 tasks again, 2 of 3 restarts",
    ]


def test_elastic_workers_are_fewer_after_one_has_failed_and_all_again_after_a_while(tmp_path):
    # Worker 1 fails once. One worker alone runs until SIGTERM, as `train` does with a checkpoint.
    program = 'echo run >> {0}/$WORKERS; case $WORKERS in 1) trap "exit 143" TERM; while true; do sleep 0.02; done;; '
    program += '*) mkdir {0}/first 2> /dev/null && exit 1; sleep 0.2; [ -e {0}/1 ];; esac'
    program = 'WORKERS=$(echo "$TF_CONFIG" | grep -o 127.0.0.1 | wc -l); ' + program.format(tmp_path)
    elastic = Elastic(Range(1, 2), 0.3)
    is_due = elastic.is_return_due
    elastic.is_return_due = lambda: (tmp_path / "1").exists() and is_due()  # not before it runs
    code, _, messages = shell(program, elastic=elastic)
    assert code == 0
    own = [line.split(": ", 1)[1] for line in messages if line.startswith("legacy-towers launch: ")]
    assert own[1:] == [
        "going on with 1 worker", "a worker is to be taken in again: ending all with a checkpoint",
        "starting with 2 workers again",
    ]
    alone, together = [len((tmp_path / workers).read_text().splitlines()) for workers in "12"]
    assert alone == 1 and together >= 3  # the other one of the first two may have ended before it wrote


def test_elastic_workers_that_would_be_too_few_are_restarted_or_end(tmp_path):
    program = "echo run >> {}/runs; exit 3".format(tmp_path)
    code, _, messages = shell(program, elastic=Elastic(Range(2, 3), 60.0), restarts=1)
    assert code == 3
    assert [line.split("launch: ")[1] for line in messages if "ended" not in line] == [
        "going on with 2 workers", "starting all 2 tasks again, 1 of 1 restart",
    ]


@pytest.mark.parametrize("visible, expected", [
    (None, {"worker:0": "0,1", "worker:1": "2,3", "ps:0": "", "evaluator:0": ""}),
    ("4,6,1,GPU-5d,7", {"worker:0": "4,6", "worker:1": "1,GPU-5d", "ps:0": "", "evaluator:0": ""}),
])
def test_each_worker_has_gpus_of_its_own(visible, expected, tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    # The parameter server, which is ended when the others have, has to print before.
    wait = "touch {0}/$$; while [ $(ls {0} | wc -l) -lt 4 ]; do sleep 0.02; done".format(tmp_path)
    program = 'echo "<$CUDA_VISIBLE_DEVICES>"; ' + wait
    code, output, _ = shell(program, parameter_servers=1, evaluators=1, gpus_per_worker=2)
    assert code == 0
    assert dict(line[1:-1].split("] <") for line in output) == expected


def test_too_few_gpus_for_the_workers_are_an_error(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2")
    with pytest.raises(ArgumentError, match="2 for 2 workers needs 4 GPUs: CUDA_VISIBLE_DEVICES=0,1,2 has 3"):
        shell("true", gpus_per_worker=2)


@pytest.mark.parametrize("exit_code, runs", [(3, 2), (2, 1), (143, 1)])
def test_the_exit_code_decides_whether_tasks_are_started_again(exit_code, runs, tmp_path):
    program = "echo run >> {}/runs; exit {}".format(tmp_path, exit_code)
    assert shell(program, workers=1, restarts=1)[0] == exit_code
    assert len((tmp_path / "runs").read_text().splitlines()) == runs


@pytest.mark.parametrize("failure, checkpoints, runs", [
    pytest.param("exit 1", ["a", "a"], 2, id="the same exit code without a new checkpoint"),
    pytest.param("exit 1", [None, None], 2, id="before the first checkpoint"),
    pytest.param("exit 1", ["a", "b", "c"], 4, id="a new checkpoint each time"),
    pytest.param("exit 1", ["a", "b", "b"], 3, id="one new checkpoint"),
    pytest.param("kill -9 $$", ["a", "a", "a"], 4, id="ended by a signal"),
    pytest.param("exit $(wc -l < {}/runs)", ["a", "a", "a"], 2, id="exit code 2 is final"),
])
def test_tasks_are_not_started_again_after_the_same_failure_from_the_same_checkpoint(
    failure, checkpoints, runs, tmp_path
):
    program = "echo run >> {}/runs; ".format(tmp_path) + failure.format(tmp_path)
    found = iter(checkpoints)
    code, _, messages = shell(program, workers=1, restarts=3, newest_checkpoint=lambda: next(found))
    assert code == (2 if "wc" in failure else 1)
    assert len((tmp_path / "runs").read_text().splitlines()) == runs
    ended_again = "worker:0 ended with exit code 1 again, and no checkpoint has been saved since the last start"
    assert (ended_again in messages[-1]) == (failure == "exit 1" and runs < 4)


@pytest.mark.parametrize("options, expected", [
    ("--restarts 1 | ", "--on-stall abort"), ("--elastic 1:2 | ", "--elastic 1:2 --on-stall abort"),
    ("--restarts 1 | --on-stall wait", ""), ("--workers 2 | ", ""),
])
def test_train_ends_a_step_that_stands_still_where_launch_starts_it_again(options, expected, tmp_path, monkeypatch):
    given = []
    launch_function = "legacy_towers.cluster.launching.one_machine.launch"
    monkeypatch.setattr(launch_function, lambda words, *_, **keywords: given.extend(words) or 0)
    before, after = options.split(" | ")
    assert command("launch {} -- train job.py --checkpoint-dir {} {}".format(before, tmp_path, after)) == 0
    assert given[given.index("--cluster") + 1:] == expected.split()


@pytest.mark.parametrize("options, found", [
    ("--checkpoint-dir {}", ["model.ckpt-8", None]), ("--checkpoint-dir={}", ["model.ckpt-8", None]),
    ("--checkpoint-dir {}/{{task_index}}", None),
])
def test_launch_of_train_compares_the_checkpoints_of_its_directory(options, found, tmp_path, monkeypatch):
    given = {}
    launch_function = "legacy_towers.cluster.launching.one_machine.launch"
    monkeypatch.setattr(launch_function, lambda *_, **keywords: given.update(keywords) or 0)
    assert command("launch --restarts 1 -- train job.py " + options.format(tmp_path)) == 0
    newest = given["newest_checkpoint"]
    if found is None:  # each task has its own
        assert newest is None
        return
    state = tmp_path / "checkpoint"
    state.write_text('model_checkpoint_path: "model.ckpt-8"\nall_model_checkpoint_paths: "model.ckpt-4"\n')
    (tmp_path / "model.ckpt-8.index").write_text("")
    results = [newest()]
    state.unlink()
    assert results + [newest()] == found


def test_launch_finds_the_newest_checkpoint_without_tensorflow(tmp_path):
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-8"\n')
    program = "import sys; from legacy_towers.cli.launch import _newest_checkpoint; "
    program += "print(_newest_checkpoint(sys.argv[1:])(), 'tensorflow' in sys.modules)"
    words = [sys.executable, "-c", program, "train", "--checkpoint-dir", str(tmp_path)]
    assert subprocess.check_output(words).decode() == "model.ckpt-8 False\n"


def test_tasks_end_when_the_launcher_is_killed(tmp_path):
    # When each has printed for a while, `launch` has noted both. What they print then has no reader, which ends a shell
    # that reports a signal.
    tasks = 'trap "touch {0}/$$; exit 0" TERM; for i in 0 1 2 3 4 5 6 7 8 9; do echo up; sleep 0.05; done; '
    tasks += 'exec 3>&1 > /dev/null 2>&1; echo up >&3; exec 3>&-; while true; do sleep 0.05; done'
    tasks = tasks.format(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-m", "legacy_towers", "launch", "--workers", "2", "--", "sh", "-c", tasks],
        stdout=subprocess.PIPE, cwd=os.path.dirname(__file__),
    ) as launcher:
        for _ in range(22):
            launcher.stdout.readline()
        launcher.kill()
    assert waiting.happens(lambda: len(list(tmp_path.iterdir())) == 2)


def test_a_guard_that_was_killed_does_not_end_the_launcher():
    with Guard(1.0) as guard:
        guard._process.kill()
        guard._process.wait()
        guard.started(os.getpid())
        guard.ended(os.getpid())
