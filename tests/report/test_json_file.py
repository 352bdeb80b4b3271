"""JSON files of comparisons: exact round trips, errors, and documented fields."""
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
from legacy_towers.report.json_file import read_json, write_json

DOCS = os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "docs", "pages", "compare.md")


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "compared.json")


@pytest.mark.parametrize("name", sorted(documents.DOCUMENTS))
def test_read_json_returns_the_written_document(name, path):
    document = documents.DOCUMENTS[name]
    write_json(document, path)
    again = read_json(path)
    assert again == document
    assert all(type(row) is contract.Row for row in again.rows)
    assert all(type(verdict) is contract.Verdict for verdict in again.verdicts.values())


def test_floats_are_exact(path):
    values = [0.1, 1 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -0.0, 3]
    document = documents.document()
    write_json(document._replace(rows=[document.rows[0]._replace(
        examples_per_second=contract.Spread(1.0, 0.5, 1.5, values))]), path)
    assert [repr(value) for value in read_json(path).rows[0].examples_per_second.rounds] == [repr(v) for v in values]


def test_the_file_is_json_with_format_and_version_first(path):
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
    (set_at("format", "another"), 'is not a comparison: a file written by `legacy-towers compare --json` begins with'),
    (delete_at("format"), "is not a comparison"),
    (set_at("version", 3), "is a comparison of version 3, and this legacy_towers reads version 2"),
    (set_at("version", 1), "is a comparison of version 1, and this legacy_towers reads version 2: compare again"),
    (set_at("version", True), "is a comparison of version true, and this legacy_towers reads version 2"),
    (delete_at("version"), "is a comparison of version null"),
    (delete_at("environment"), "changed by hand: environment is missing"),
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
    (set_at("rows", 0, "colour", "red"), "rows[0].colour is not a field of version 2"),
    (set_at("rows", 0, "step_ms_p50", math.nan), "is not JSON: NaN is not a number in JSON"),
    (set_at("rows", 0, "step_ms_p50", -math.inf), "is not JSON: -Infinity is not a number in JSON"),
])
def test_the_error_for_an_invalid_field_names_file_and_field(change, message, path):
    write_content(path, change)
    with pytest.raises(InputError) as caught:
        read_json(path)
    assert path in str(caught.value) and message in str(caught.value)


@pytest.mark.parametrize("content, message", [
    (b"", "is not JSON: Expecting value"),
    (b'{"format": ', "is not JSON: Expecting value"),
    (b"\x89PNG\r\n\x1a\n\xff", "is not JSON: it is not text in UTF-8"),
    (b"[1, 2]", "is not a comparison"),
    (b"null", "is not a comparison"),
    (b"[" * 100000, "is not JSON"),
], ids=["empty", "cut off", "a picture", "a list", "null", "deep"])
def test_other_files_are_rejected(content, message, path):
    with open(path, "wb") as target:
        target.write(content)
    with pytest.raises(InputError) as caught:
        read_json(path)
    assert str(caught.value).startswith(path + " ") and message in str(caught.value)


def test_a_missing_file_is_an_error(path, tmp_path):
    with pytest.raises(ArgumentError) as caught:
        read_json(path)
    assert str(caught.value) == path + " can't be read: No such file or directory"
    with pytest.raises(ArgumentError) as caught:
        read_json(str(tmp_path))
    assert "can't be read: Is a directory" in str(caught.value)


@pytest.mark.parametrize("changes, message", [
    ({"settings": {"steps": float("nan")}}, "settings.steps is nan: JSON has finite numbers only"),
    ({"environment": {"speeds": [1.0, float("inf")]}}, "environment.speeds[1] is inf: JSON has finite numbers only"),
    ({"job_options": {"net": object()}}, "job_options.net is a object, which JSON can't represent"),
    ({"job_options": {"net": {4: 1}}}, "job_options.net has the key 4"),
])
def test_values_that_json_can_not_represent_are_rejected_and_the_old_file_is_kept(changes, message, path):
    write_json(documents.document(), path)
    before = read_json(path)
    with pytest.raises(ArgumentError) as caught:
        write_json(documents.document(**changes), path)
    assert message in str(caught.value)
    assert read_json(path) == before and os.listdir(os.path.dirname(path)) == ["compared.json"]


def test_the_error_for_an_infinite_figure_names_the_field(path):
    original = documents.document()
    bad = original.rows[1]._replace(ratio_to_synthetic=contract.Spread(1.0, float("-inf"), 2.0, []))
    with pytest.raises(ArgumentError, match=r"rows\[1\]\.ratio_to_synthetic\.low is -inf"):
        write_json(documents.with_row(original, bad), path)
    assert not os.path.exists(path)


def test_the_error_for_an_unwritable_path_names_it_and_no_file_is_left(tmp_path):
    gone = str(tmp_path / "gone" / "compared.json")
    with pytest.raises(ArgumentError) as caught:
        write_json(documents.document(), gone)
    assert str(caught.value) == "the JSON file can't be written to {}: No such file or directory".format(gone)
    with pytest.raises(ArgumentError, match="the JSON file can't be written to .*: Is a directory"):
        write_json(documents.document(), str(tmp_path))
    assert os.listdir(str(tmp_path)) == []


def test_a_failed_write_keeps_the_old_file_and_leaves_no_other(path, monkeypatch):
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


PLAIN_NAMES = {str: "string", int: "whole number", float: "number", bool: "true or false"}


def type_text(kind):
    """Returns the type of a field as docs/pages/compare.md shows it."""
    if hasattr(kind, "_fields"):
        return kind.__name__
    origin, arguments = getattr(kind, "__origin__", None), getattr(kind, "__args__", ())
    if origin is typing.Union:
        text = type_text(arguments[0])
        return text + (", or null" if " or " in text else " or null")
    if origin in (list, typing.List):
        return "list of " + type_text(arguments[0])
    if origin in (dict, typing.Dict):
        return "object" if arguments[1] is typing.Any else "object of " + type_text(arguments[1])
    return PLAIN_NAMES[kind]


def test_the_documentation_has_each_field_with_its_type():
    with open(DOCS, encoding="utf-8") as source:
        text = source.read()
    section = re.search(r"^## The JSON file$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL).group(1)
    documented = {
        title: re.findall(r"^\| `(\w+)` \| ([^|]+) \| \S", body, re.MULTILINE)
        for title, body in re.findall(r"^### (\w+)$(.*?)(?=^### |\Z)", section, re.MULTILINE | re.DOTALL)
    }
    kinds = [item for item in vars(contract).values() if isinstance(item, type) and hasattr(item, "_fields")]
    assert documented == {
        kind.__name__: [(name, type_text(typing.get_type_hints(kind)[name])) for name in kind._fields]
        for kind in kinds
    }
    assert '"format": "{}"'.format(contract.FORMAT) in section and '"version": {}'.format(contract.VERSION) in section
