"""The options of `run` for devices and sessions: accepted values and error messages."""
import argparse
import os

import pytest
from run.runtime.prepared import parsed

from legacy_towers.compat.tf1 import user_script
from legacy_towers.errors import ArgumentError
from legacy_towers.run.runtime import options


@pytest.mark.parametrize(
    "arguments, field, value",
    [
        ("", "session", {}),
        ("--soft", "soft", True),
        ("--towers-device /device:GPU:01", "towers_device", "/gpu:1"),
        ("--towers-device cpu:0", "towers_device", "/cpu:0"),
        ("--num-devices 3", "num_devices", 3),
        ("--allow-growth", "session", {"allow_growth": True}),
        ("--memory-fraction 0.25", "session", {"memory_fraction": 0.25}),
        (
            "--intra-op-threads 0 --inter-op-threads -1",
            "session",
            {"intra_op_threads": 0, "inter_op_threads": -1},
        ),
        ("--timeout-steps 1", "timeout_steps", 1),
    ],
)
def test_options_are_parsed(arguments, field, value):
    assert getattr(options.options_of(parsed(arguments)), field) == value


def test_the_report_is_written_where_the_run_began(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert options.options_of(parsed("--report r.json")).report == os.path.join(os.getcwd(), "r.json")


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ("--towers-device gpu", "'gpu' is not a device: write it like /gpu:0 or /cpu:1"),
        ("--towers-device /job:worker/gpu:0", "is not a device"),
        ("--towers-device /tpu:0", "is not a device"),
        ("--num-devices 0", "'0' is not a whole number of at least 1"),
        ("--num-devices two", "'two' is not a whole number of at least 1"),
        ("--memory-fraction 1.5", "'1.5' is not a number above 0 and up to 1"),
        ("--memory-fraction nan", "'nan' is not a number above 0 and up to 1"),
        ("--intra-op-threads -1", "'-1' is not a whole number of at least 0"),
        ("--inter-op-threads -2", "'-2' is not a whole number of at least -1"),
        ("--timeout-steps 0", "'0' is not a whole number of at least 1"),
        ("--timeout-steps 99999999999", "is not a whole number"),
    ],
)
def test_a_wrong_value_is_a_usage_error_with_exit_code_2(arguments, expected, capsys):
    with pytest.raises(SystemExit) as end:
        parsed(arguments)
    assert end.value.code == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ("--soft --towers-device /cpu:0", "--soft contradicts --towers-device: pass only one of them"),
        ("--soft --num-devices 2", "--soft contradicts --num-devices"),
        ("--towers-device /cpu:0 --num-devices 2", "--towers-device contradicts --num-devices"),
        ("--report no/such/folder/r.json", "there is no folder"),
        ("--report .", "it is a folder"),
    ],
)
def test_contradicting_options_are_rejected_before_the_script_starts(arguments, expected):
    with pytest.raises(ArgumentError) as error:
        options.prepare(parsed(arguments), user_script.ScriptRun("script.py", "."))
    assert expected in str(error.value)


def test_each_option_has_help():
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    assert [action.dest for action in parser._actions if not action.help] == []


def test_preparing_imports_no_tensorflow():
    from processes import output_of

    program = """
        import argparse, sys
        from legacy_towers.compat.tf1 import user_script
        from legacy_towers.run.runtime import options
        parser = argparse.ArgumentParser()
        options.add_arguments(parser)
        with options.prepare(parser.parse_args(["--num-devices", "2"]), user_script.ScriptRun("x.py", ".")):
            print("tensorflow" in sys.modules)
        print("tensorflow" in sys.modules)
    """
    assert output_of(program).split() == ["False", "False"]
