"""The command line: its imports, and the exit code and message of each kind of failure."""
import sys
import types

import pytest
from processes import run, run_python

from legacy_towers.cli import main as cli
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.version import VERSION


def _failing_op():
    with tf.Session() as session:
        session.run(tf.debugging.check_numerics(tf.constant(1.0) / tf.zeros([]), "loss is", name="tower_1/check"))


def _raise(error):
    raise error


@pytest.fixture
def job(monkeypatch):
    """Adds the subcommand `job N`, which runs the given function with N."""

    def add(function):
        module = types.ModuleType("job_command", "Runs the job.")
        module.add_arguments = lambda parser, *given: parser.add_argument("number", type=int)
        module.run = lambda arguments: function(arguments.number)
        monkeypatch.setitem(sys.modules, "job_command", module)
        monkeypatch.setattr(cli, "SUBCOMMANDS", (cli.Subcommand("job", "job_command", "run the job"),))
        monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")

    return add


@pytest.mark.parametrize(
    "function, code, message",
    [
        (lambda number: number, 7, ""),
        (
            lambda number: _raise(ArgumentError("towers must be at least 1, not 0")),
            2,
            "legacy-towers: error: towers must be at least 1, not 0\n",
        ),
        (
            lambda number: _failing_op(),
            1,
            "legacy-towers: error: InvalidArgumentError: loss is : Tensor had Inf values (in 'tower_1/check')\n",
        ),
        (lambda number: _raise(KeyboardInterrupt()), 130, "legacy-towers: interrupted\n"),
    ],
    ids=["success", "user error", "op error", "interrupted"],
)
def test_exit_code_and_message(job, capsys, function, code, message):
    job(function)
    assert cli.main(["job", "7"]) == code
    assert capsys.readouterr().err == message


def test_other_errors_are_printed_with_their_traceback(job, capsys):
    job(lambda number: 1 // 0)
    assert cli.main(["job", "7"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback") and shown.endswith("integer division or modulo by zero\n")


@pytest.mark.parametrize(
    "arguments, message",
    [(["job", "x"], "invalid int value: 'x'"), (["jib"], "invalid choice: 'jib'"), (["job"], "required: number")],
)
def test_usage_errors_exit_with_2(job, capsys, arguments, message):
    job(lambda number: 0)
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_without_a_command_the_commands_are_listed(job, capsys):
    job(lambda number: 0)
    assert cli.main([]) == 2
    assert "run the job" in capsys.readouterr().err


def test_the_users_log_level_is_kept(job, monkeypatch):
    job(lambda number: 0)
    cli.main(["job", "7"])
    assert cli.os.environ["TF_CPP_MIN_LOG_LEVEL"] == "3"
    monkeypatch.delenv("TF_CPP_MIN_LOG_LEVEL")
    cli.main(["job", "7"])
    assert cli.os.environ["TF_CPP_MIN_LOG_LEVEL"] == "2"


def test_help_of_each_command_has_its_modules_docstring(capsys):
    for row in cli.SUBCOMMANDS:
        with pytest.raises(SystemExit) as ended:
            cli.main([row.name, "--help"])
        assert ended.value.code == 0
        assert sys.modules[row.module].__doc__.strip().splitlines()[0] in capsys.readouterr().out


@pytest.mark.parametrize("option, shown", [("--help", "commands:"), ("--version", VERSION)])
def test_help_and_version_import_few_modules_and_no_tensorflow(option, shown):
    done = run([sys.executable, "-X", "importtime", "-m", "legacy_towers", option])
    assert (done.returncode, shown in done.stdout) == (0, True)
    assert "tensorflow" not in done.stderr and "numpy" not in done.stderr
    # The limit is 0.3 s on an idle machine, most of it Python's own start; the command imports about 20 modules more.
    least = run([sys.executable, "-X", "importtime", "-c", "import argparse"])
    assert done.stderr.count("import time:") - least.stderr.count("import time:") < 40


def test_a_closed_pipe_ends_with_141_and_no_message():
    done = run_python(
        """
        import os, sys, types
        from legacy_towers.cli import main
        command = types.ModuleType("command")
        command.add_arguments = lambda parser, *given: None
        command.run = lambda arguments: print("x" * 1000000) or 0
        sys.modules["command"] = command
        main.SUBCOMMANDS = (main.Subcommand("print", "command", ""),)
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, sys.stdout.fileno())
        sys.exit(main.main(["print"]))
        """
    )
    assert (done.returncode, done.stderr) == (141, "")
