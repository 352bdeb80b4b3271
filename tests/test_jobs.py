"""Jobs: what a job function must be, and how one is found in a file."""
import job_files
import pytest

import legacy_towers as lt
from legacy_towers.errors import JobError
from legacy_towers.jobs import is_job_name, load_job

TWO = """
    import legacy_towers as lt
    @lt.job
    def one(): return 1
    @lt.job
    def two(size=2, fast=False, name="x", rate=0.5): return 2
"""


def test_a_job_has_the_options_of_its_function(tmp_path):
    job = load_job(job_files.write(tmp_path, "two.py", TWO) + ":two")
    assert (job.name, job.options) == ("two", {"size": 2, "fast": False, "name": "x", "rate": 0.5})


@pytest.mark.parametrize(
    "source, name, message",
    [
        ("x = 1", "", "{} has no job: mark a function that returns lt.Job(...) with @lt.job"),
        (TWO, "", "{0} has 2 jobs: name one of them, as in {0}:one or {0}:two"),
        (TWO, ":three", "{} has no job 'three'; it has 'one', 'two'"),
        ("x = 1", ":three", "{} has no job 'three'; it has none"),
    ],
    ids=["none", "two", "not that one", "not one"],
)
def test_a_file_without_the_job(tmp_path, source, name, message):
    path = job_files.write(tmp_path, "jobs.py", source)
    with pytest.raises(JobError) as caught:
        load_job(path + name)
    assert str(caught.value) == message.format(path)


@pytest.mark.parametrize("path", ["none.py", ".", "a.txt"])
def test_no_python_file(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(JobError, match="a JOB is path/to/file.py or path/to/file.py:name"):
        load_job(path)


def test_a_file_finds_what_lies_beside_it_and_its_own_job_comes_first(tmp_path):
    job_files.write(tmp_path, "base_of_jobs.py", TWO)
    path = job_files.write(
        tmp_path,
        "derived.py",
        """
        import legacy_towers as lt
        from base_of_jobs import *
        @lt.job
        def three(): return 3
        """,
    )
    assert load_job(path).name == "three"
    assert load_job(path + ":two").name == "two"


@pytest.mark.parametrize(
    "text, is_name",
    [("a.py", True), ("a/b.py:job", True), ("C:\\a.py", True), ("--x=a.py", False), ("a.pyc", False), ("4", False)],
)
def test_what_reads_like_a_job(text, is_name):
    assert is_job_name(text) is is_name


def _without_default(size):
    return size


def _with_a_list(sizes=(1, 2)):
    return sizes


@pytest.mark.parametrize("function, option", [(_without_default, "--size"), (_with_a_list, "--sizes")])
def test_a_parameter_that_can_be_no_option(function, option):
    with pytest.raises(JobError, match="needs a default that is a bool, int, float or str.*" + option):
        lt.job(function)


def test_a_job_that_returns_something_else():
    job = lt.job(lambda: 5)
    with pytest.raises(JobError, match="returned int, not an lt.Job"):
        job()
