"""Whole scripts with queues, in the idioms of 2016 to 2019: what becomes of their queues, and that it is proven.

Each script runs with its queues converted, on files of `data_files` and `small_data_files`. A table states the promise
of each of its queues; converted queues must be proven to give the same examples, and the script must end as it did.
"""
import pytest
from migrate.corpus import data_files, expected_readers, expected_sets, script_runs, small_data_files
from migrate.corpus.expected import Expected

from legacy_towers.migrate.proof.values import DIFFERENT, PROVEN

TABLES = (expected_readers.EXPECTED, expected_sets.EXPECTED)
EXPECTED = {name: queues for table in TABLES for name, queues in table.items()}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    data_files.write(folder)
    small_data_files.write(folder)
    return folder


def test_each_script_is_in_one_table():
    assert sorted(name for table in TABLES for name in table) == script_runs.names()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_queues_of_a_script_are_converted_and_proven(name, data):
    ran = script_runs.run(name, data)
    promises = {
        plan["name"]: Expected(plan["promise"], plan["reason"]) if plan["promise"] == "refused" else plan["promise"]
        for plan in ran.plans
    }
    assert set(promises) == set(EXPECTED[name]), ran.printed
    for queue, wanted in EXPECTED[name].items():
        found = promises[queue]
        if isinstance(wanted, Expected):
            assert isinstance(found, Expected) and wanted.reason in found.reason, ran.printed
        else:
            assert found == wanted, ran.printed
    for plan in ran.plans:
        if plan["promise"] != "refused":
            assert plan["proof"]["verdict"] == PROVEN, ran.printed
    assert all(each["verdict"] != DIFFERENT for each in ran.training), ran.printed
