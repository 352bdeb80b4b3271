"""Correct scripts in the idioms of their time give no finding."""
import json
import os

import preloaded
import processes
import pytest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts")
NAMES = sorted(name for name in os.listdir(FOLDER) if name.endswith(".py"))
# The others are started by `pytest -m ""` only: each takes some seconds.
QUICK = ("python_thread_queue.py",)


@pytest.mark.parametrize("name", [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in NAMES
])
def test_a_correct_script_gives_no_finding(name, tmp_path):
    command = [preloaded.executable(), "-m", "legacy_towers", "doctor", "--json", os.path.join(FOLDER, name)]
    done = processes.run(command, cwd=str(tmp_path))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout[done.stdout.rfind('{\n  "examined"'):])
    assert found["findings"] == [] and not found["examined"].startswith("0 graphs")
