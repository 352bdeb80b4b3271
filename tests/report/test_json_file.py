"""JSON files of comparisons: exact round trips, clear refusals, and documented fields."""
import json
import math
import os
import re
import stat
import typing

import pytest
from report import documents

from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.report import document as contract
from legacy_towers.report.changes import format_changes
from legacy_towers.report.json_file import read_json, write_json

DOCS = os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "docs", "compare.md")


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "compared.json")


@pytest.mark.parametrize("name", sorted(documents.DOCUMENTS))
def test_what_was_written_is_read_again(name, path):
    document = documents.DOCUMENTS[name]
    write_json(document, path)
    again = read_json(path)
    assert again == document
    assert all(type(row) is contract.Row for row in again.rows)
    assert all(type(verdict) is contract.Verdict for verdict in again.verdicts.values())


def test_floats_keep_each_bit(path):
    values = [0.1, 1 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -0.0, 3]
    document = documents.document()
    write_json(document._replace(rows=[document.rows[0]._replace(
        examples_per_second=contract.Spread(1.0, 0.5, 1.5, values))]), path)
    assert [repr(value) for value in read_json(path).rows[0].examples_per_second.rounds] == [repr(v) for v in values]


def test_the_file_is_plain_json_of_format_and_version_first(path):
    write_json(documents.document(), path)
    with open(path, encoding="ascii") as source:
        content = json.load(source)
    assert list(content)[:2] == ["format", "version"]
    assert (content["format"], content["version"]) == ("legacy-towers compare", 2)
    assert content["rows"][1]["candidate"] == "feed" and content["rows"][1]["waiting"]["differ"] is False


def write_content(path, change):
    """Writes the JSON of a document, changed by `change`."""
    write_json(documents.document(), path)
    with open(path) as source:
        content = json.load(source)
    change(content)
    with open(path, "w") as target:
        json.dump(content, target)


def set_at(*keys_and_value):
    keys, value = keys_and_value[:-1], keys_and_value[-1]

    def change(content):
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


def delete_at(*keys):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        del content[keys[-1]]

    return change


@pytest.mark.parametrize("change, message", [
    (set_at("format", "another"), 'is not a comparison: a file that `legacy-towers compare --json` wrote begins with'),
    (delete_at("format"), "is not a comparison"),
    (set_at("version", 3), "is a comparison of version 3, and this legacy_towers knows versions 1 to 2"),
    (set_at("version", True), "is a comparison of version true, and this legacy_towers knows versions 1 to 2"),
    (delete_at("version"), "is a comparison of version null"),
    (delete_at("machine"), "changed by hand: machine is missing"),
    (delete_at("rows", 1, "waiting", "by_trace", "low"), "rows[1].waiting.by_trace.low is missing"),
    (set_at("rows", 0, "towers", "4"), 'rows[0].towers is "4", not a whole number'),
    (set_at("rows", 0, "towers", True), "rows[0].towers is true, not a whole number"),
    (set_at("rows", 0, "step_ms_p50", "fast"), 'rows[0].step_ms_p50 is "fast", not a number'),
    (set_at("rows", 0, "candidate", None), "rows[0].candidate is null, not a string"),
    (set_at("rows", 0, "examples_per_second", 3.5), "rows[0].examples_per_second is 3.5, not an object"),
    (set_at("rows", 0, "examples_per_second", "rounds", 2, "x"), 'rows[0].examples_per_second.rounds[2] is "x", not a'),
    (set_at("rows", 0, "timeline", 0, "kind", 1), "rows[0].timeline[0].kind is 1, not a string"),
    (set_at("subject", "taste"), "subject is \"taste\", not one of 'inputs', 'variables', 'reductions'"),
    (set_at("rows", {}), "rows is {}, not a list"),
    (set_at("verdicts", "4", "evidence", "much"), 'verdicts.4.evidence is "much", not a list'),
    (set_at("parity", 0, "same_epoch", 1), "parity[0].same_epoch is 1, not true or false"),
    (set_at("rows", 0, "colour", "red"), "rows[0].colour is no field of version 2"),
    (set_at("rows", 0, "step_ms_p50", math.nan), "is not JSON: NaN is not a number of JSON"),
    (set_at("rows", 0, "step_ms_p50", -math.inf), "is not JSON: -Infinity is not a number of JSON"),
])
def test_what_is_no_comparison_is_refused_by_file_and_field(change, message, path):
    write_content(path, change)
    with pytest.raises(InputError) as caught:
        read_json(path)
    assert path in str(caught.value) and message in str(caught.value)


@pytest.mark.parametrize("content, message", [
    (b"", "is not JSON: Expecting value"),
    (b'{"format": ', "is not JSON: Expecting value"),
    (b"\x89PNG\r\n\x1a\n\xff", "is not JSON: it is not even text in UTF-8"),
    (b"[1, 2]", "is not a comparison"),
    (b"null", "is not a comparison"),
    (b"[" * 100000, "is not JSON"),
], ids=["empty", "cut off", "a picture", "a list", "null", "deep"])
def test_other_files_are_refused(content, message, path):
    with open(path, "wb") as target:
        target.write(content)
    with pytest.raises(InputError) as caught:
        read_json(path)
    assert str(caught.value).startswith(path + " ") and message in str(caught.value)


def test_a_file_that_is_not_there_is_refused(path, tmp_path):
    with pytest.raises(ArgumentError) as caught:
        read_json(path)
    assert str(caught.value) == path + " can't be read: No such file or directory"
    with pytest.raises(ArgumentError) as caught:
        read_json(str(tmp_path))
    assert "can't be read: Is a directory" in str(caught.value)


@pytest.mark.parametrize("changes, message", [
    ({"settings": {"steps": float("nan")}}, "settings.steps is nan: that is no figure"),
    ({"machine": {"speeds": [1.0, float("inf")]}}, "machine.speeds[1] is inf: that is no figure"),
    ({"job_options": {"net": object()}}, "job_options.net is a object, which JSON can't hold"),
    ({"job_options": {"net": {4: 1}}}, "job_options.net has the key 4"),
])
def test_what_json_does_not_know_is_refused_and_the_old_file_stays(changes, message, path):
    write_json(documents.document(), path)
    before = read_json(path)
    with pytest.raises(ArgumentError) as caught:
        write_json(documents.document(**changes), path)
    assert message in str(caught.value)
    assert read_json(path) == before and os.listdir(os.path.dirname(path)) == ["compared.json"]


def test_a_figure_that_is_not_finite_is_named(path):
    original = documents.document()
    bad = original.rows[1]._replace(ratio_to_synthetic=contract.Spread(1.0, float("-inf"), 2.0, []))
    with pytest.raises(ArgumentError, match=r"rows\[1\]\.ratio_to_synthetic\.low is -inf"):
        write_json(documents.with_row(original, bad), path)
    assert not os.path.exists(path)


def test_an_unwritable_path_is_named_and_nothing_is_left(tmp_path):
    gone = str(tmp_path / "gone" / "compared.json")
    with pytest.raises(ArgumentError) as caught:
        write_json(documents.document(), gone)
    assert str(caught.value) == "the JSON file can't be written to {}: No such file or directory".format(gone)
    with pytest.raises(ArgumentError, match="the JSON file can't be written to .*: Is a directory"):
        write_json(documents.document(), str(tmp_path))
    assert os.listdir(str(tmp_path)) == []


def test_a_failed_write_leaves_the_old_file_and_no_other(path, monkeypatch):
    write_json(documents.document(), path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ArgumentError, match="No space left on device"):
        write_json(documents.document(("synthetic",)), path)
    assert read_json(path) == documents.document()
    assert os.listdir(os.path.dirname(path)) == ["compared.json"]


def test_a_link_a_device_and_the_umask_are_respected(path, tmp_path):
    link = str(tmp_path / "link.json")
    os.symlink(path, link)
    old = os.umask(0o027)
    try:
        write_json(documents.document(), link)
    finally:
        os.umask(old)
    assert os.path.islink(link) and read_json(path) == documents.document()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    write_json(documents.document(), os.devnull)
    assert not os.path.isfile(os.devnull)


def as_version_1(content):
    """Changes a comparison of ways in to what version 1 wrote."""
    content["version"] = 1
    for key in ("subject", "proofs"):
        del content[key]
    for row in content["rows"]:
        row["way"] = row.pop("candidate")
        for key in ("input", "variables", "reduction", "updates_per_second", "ratio_to_current"):
            del row[key]
        row["plan"] = row["plan"] and row["plan"]["input"]
    for item in content["parity"]:
        item["way"] = item.pop("candidate")


def test_a_comparison_of_version_1_is_read_as_of_today(path):
    original = documents.troubled()
    write_json(original, path)
    with open(path) as source:
        content = json.load(source)
    as_version_1(content)
    with open(path, "w") as target:
        json.dump(content, target)
    rows = [
        row._replace(
            input=row.candidate, variables=None, reduction=None, updates_per_second=None, ratio_to_current=None,
            plan=row.plan and {"input": row.plan["input"]},
        )
        for row in original.rows
    ]
    assert read_json(path) == original._replace(rows=rows)
    assert "4 towers: 3 fails as before, 11 not measurably different" in format_changes(read_json(path), original)


@pytest.mark.parametrize("change, message", [
    (delete_at("rows", 0, "way"), "changed by hand: rows[0].candidate is missing"),
    (set_at("parity", {}), "parity is {}, not a list"),
    (set_at("rows", 0, 5), "rows[0] is 5, not an object"),
    (set_at("rows", 0, "plan", 5), "rows[0].plan is 5, not an object"),
])
def test_what_is_damaged_in_version_1_is_named(change, message, path):
    def both(content):
        as_version_1(content)
        change(content)

    write_content(path, both)
    with pytest.raises(InputError) as caught:
        read_json(path)
    assert message in str(caught.value)


PLAIN_NAMES = {str: "string", int: "whole number", float: "number", bool: "true or false"}


def type_in_words(kind):
    """Returns the type of a field as docs/compare.md writes it."""
    if hasattr(kind, "_fields"):
        return kind.__name__
    origin, arguments = getattr(kind, "__origin__", None), getattr(kind, "__args__", ())
    if origin is typing.Union:
        words = type_in_words(arguments[0])
        return words + (", or null" if " or " in words else " or null")
    if origin in (list, typing.List):
        return "list of " + type_in_words(arguments[0])
    if origin in (dict, typing.Dict):
        return "object" if arguments[1] is typing.Any else "object of " + type_in_words(arguments[1])
    return PLAIN_NAMES[kind]


def test_the_docs_have_each_field_with_its_type():
    with open(DOCS, encoding="utf-8") as source:
        text = source.read()
    section = re.search(r"^## The JSON file$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL).group(1)
    documented = {
        title: re.findall(r"^\| `(\w+)` \| ([^|]+) \| \S", body, re.MULTILINE)
        for title, body in re.findall(r"^### (\w+)$(.*?)(?=^### |\Z)", section, re.MULTILINE | re.DOTALL)
    }
    kinds = [item for item in vars(contract).values() if isinstance(item, type) and hasattr(item, "_fields")]
    assert documented == {
        kind.__name__: [(name, type_in_words(typing.get_type_hints(kind)[name])) for name in kind._fields]
        for kind in kinds
    }
    assert '"format": "{}"'.format(contract.FORMAT) in section and '"version": {}'.format(contract.VERSION) in section
