"""Jobs: the requirements for a job function, and loading it from a file."""
import pydoc

import job_files
import pytest

import legacy_towers as lt
from legacy_towers.errors import JobError
from legacy_towers.training.job import is_job_name, load_job

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
    ids=["no job", "two jobs", "other jobs", "no job of any name"],
)
def test_load_job_from_a_file_without_the_job(tmp_path, source, name, message):
    path = job_files.write(tmp_path, "jobs.py", source)
    with pytest.raises(JobError) as caught:
        load_job(path + name)
    assert str(caught.value) == message.format(path)


@pytest.mark.parametrize("path", ["none.py", ".", "a.txt"])
def test_load_job_from_a_path_that_is_not_a_python_file(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(JobError, match="a JOB is path/to/file.py or path/to/file.py:name"):
        load_job(path)


def test_a_job_file_imports_from_its_folder_and_its_own_job_comes_first(tmp_path):
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
def test_is_job_name(text, is_name):
    assert is_job_name(text) is is_name


def _without_default(size):
    return size


def _with_a_list(sizes=(1, 2)):
    return sizes


@pytest.mark.parametrize("function, option", [(_without_default, "--size"), (_with_a_list, "--sizes")])
def test_parameters_of_a_job_function_need_a_default_for_an_option(function, option):
    with pytest.raises(JobError, match="needs a default that is a bool, int, float or str.*" + option):
        lt.job(function)


@pytest.mark.parametrize(
    "returned, message",
    [
        (5, "the job '<lambda>' returned int, not an lt.Job"),
        (None, "the job '<lambda>' returned nothing, not an lt.Job: its function needs return lt.Job(...)"),
    ],
)
def test_a_job_function_must_return_a_job(returned, message):
    with pytest.raises(JobError) as caught:
        lt.job(lambda: returned)()
    assert str(caught.value) == message


def test_help_of_job_is_readable_and_its_options_are_those_of_the_step():
    shown = pydoc.plain(pydoc.render_doc(lt.Job))
    assert "_asdict" not in shown and "Alias for field number" not in shown
    assert "per_tower_batch_size: examples per tower and step" in shown
    job = lt.Job(None, "train", None, on_missing="zeros")
    assert (job.on_missing, job.update_ops, job.variables) == ("zeros", None, None)
    assert job.replace(epochs=3, on_missing="error") == lt.Job(None, "train", None, epochs=3)
    assert job != job.replace(input="feed") and "on_missing='zeros'" in repr(job)


@pytest.mark.parametrize("name", ["on_mising", "devices"])
def test_a_job_rejects_unknown_step_options(name):
    with pytest.raises(JobError, match="lt.Job has no option '{}': the options of its step are".format(name)):
        lt.Job(None, "train", None, **{name: 1})


def test_a_job_has_no_other_attributes():
    with pytest.raises(AttributeError, match="an lt.Job has no attribute 'step'"):
        print(lt.Job(None, "train", None).step)
