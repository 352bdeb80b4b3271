"""The options of `run` for devices and sessions: what is taken, and one sentence for what is not."""
import argparse
import os

import pytest
from oldtf.machine.prepared import parsed

from legacy_towers.errors import ArgumentError
from legacy_towers.oldtf import current
from legacy_towers.oldtf.machine import options


@pytest.mark.parametrize(
    "words, field, value",
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
def test_what_is_given_is_kept(words, field, value):
    assert getattr(options.options_of(parsed(words)), field) == value


def test_the_report_is_written_where_the_run_began(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert options.options_of(parsed("--report r.json")).report == os.path.join(os.getcwd(), "r.json")


@pytest.mark.parametrize(
    "words, said",
    [
        ("--towers-device gpu", "'gpu' is no device: write it like /gpu:0 or /cpu:1"),
        ("--towers-device /job:worker/gpu:0", "is no device"),
        ("--towers-device /tpu:0", "is no device"),
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
def test_a_wrong_value_is_one_sentence_and_exit_code_2(words, said, capsys):
    with pytest.raises(SystemExit) as end:
        parsed(words)
    assert end.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, said",
    [
        ("--soft --towers-device /cpu:0", "--soft contradicts --towers-device: leave one or the other out"),
        ("--soft --num-devices 2", "--soft contradicts --num-devices"),
        ("--towers-device /cpu:0 --num-devices 2", "--towers-device contradicts --num-devices"),
        ("--report no/such/folder/r.json", "there is no folder"),
        ("--report .", "it is a folder"),
    ],
)
def test_a_contradiction_is_refused_before_the_script_starts(words, said):
    with pytest.raises(ArgumentError) as error:
        options.prepare(parsed(words), current.ScriptRun("script.py", "."))
    assert said in str(error.value)


def test_each_option_has_help():
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    assert [action.dest for action in parser._actions if not action.help] == []


def test_preparing_imports_no_tensorflow():
    from processes import output_of

    program = """
        import argparse, sys
        from legacy_towers.oldtf import current
        from legacy_towers.oldtf.machine import options
        parser = argparse.ArgumentParser()
        options.add_arguments(parser)
        with options.prepare(parser.parse_args(["--num-devices", "2"]), current.ScriptRun("x.py", ".")):
            print("tensorflow" in sys.modules)
        print("tensorflow" in sys.modules)
    """
    assert output_of(program).split() == ["False", "False"]
