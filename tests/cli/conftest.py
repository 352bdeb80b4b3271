"""The folder in which the tests of the command line run jobs."""
import job_files
import pytest

from legacy_towers.training import building


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty current directory with the job file line.py."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(building, "_ANNOUNCED_AFTER_SECONDS", 600.0)  # however busy the machine is
    job_files.write(tmp_path, "line.py", job_files.LINE)
    return tmp_path
