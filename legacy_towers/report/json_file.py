"""Writes and reads a comparison as a JSON file; docs/pages/compare.md describes each field."""
import json
import math
from typing import Any, Dict, List, Tuple, Union, get_type_hints

from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.report.document import FORMAT, SUBJECTS, VERSION, Document
from legacy_towers.text.files import write_whole
from legacy_towers.text.names import quoted

_KINDS = {str: "a string", bool: "true or false", int: "a whole number", float: "a number", dict: "an object"}


def write_json(document: Document, path: str) -> None:
    """Writes a comparison to a file atomically.

    Raises:
      ArgumentError: the file can't be written, or JSON has no such value (NaN, infinity, an array): the message names
        the field.
    """
    content = {"format": FORMAT, "version": VERSION}
    content.update(_encoded(document, "the document"))
    write_whole(path, json.dumps(content, indent=1, allow_nan=False) + "\n", "the JSON file")


def read_json(path: str) -> Document:
    """Returns the comparison that `write_json` wrote.

    Raises:
      ArgumentError: the file can't be read.
      InputError: the file is not JSON, not a comparison, has another version, or an invalid field, which is named.
    """
    try:
        with open(path, encoding="utf-8") as source:
            text = source.read()
    except OSError as error:
        raise ArgumentError("{} can't be read: {}".format(path, error.strerror or error)) from error
    except UnicodeDecodeError as error:
        raise InputError("{} is not JSON: it is not text in UTF-8".format(path)) from error
    try:
        content = json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        raise InputError("{} is not JSON: {}".format(path, error)) from error
    return _document(content, path)


def _reject_constant(name: str) -> None:
    raise ValueError("{} is not a number in JSON".format(name))


def _document(content: Any, path: str) -> Document:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            "{} is not a comparison: a file written by `legacy-towers compare --json` begins with "
            '"format": "{}"'.format(path, FORMAT)
        )
    version = content.get("version")
    if version != VERSION or isinstance(version, bool):
        raise InputError(
            "{} is a comparison of version {}, and this legacy_towers reads version {}: compare again, or read it with "
            "the legacy_towers that wrote it".format(path, json.dumps(version), VERSION)
        )
    fields = {name: value for name, value in content.items() if name not in ("format", "version")}
    try:
        document: Document = _decoded(fields, Document, "")
        if document.subject not in SUBJECTS:
            raise _InvalidField("subject is {}, not one of {}".format(_shown(document.subject), quoted(SUBJECTS)))
        return document
    except _InvalidField as error:
        raise InputError("{} is damaged, or was changed by hand: {}".format(path, error)) from error


class _InvalidField(Exception):
    """A field has an invalid value."""


def _encoded(value: Any, field: str) -> Any:
    """Returns a value that json.dumps can write: NamedTuples become objects."""
    if hasattr(value, "_fields"):
        return {name: _encoded(getattr(value, name), _inside(field, name)) for name in value._fields}
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ArgumentError("{} has the key {!r}: keys of JSON objects are strings".format(field, key))
        return {key: _encoded(item, _inside(field, key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encoded(item, "{}[{}]".format(field, index)) for index, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise ArgumentError("{} is {}: JSON has finite numbers only".format(field, value))
    if value is not None and not isinstance(value, (str, bool, int, float)):
        raise ArgumentError("{} is a {}, which JSON can't represent".format(field, type(value).__name__))
    return value


def _decoded(value: Any, kind: Any, field: str) -> Any:
    """Returns a value from json.loads as the type `kind` of a NamedTuple's field."""
    if kind is Any:
        return value
    if hasattr(kind, "_fields"):
        return _named_tuple(value, kind, field)
    origin = getattr(kind, "__origin__", None)
    arguments: Tuple[Any, ...] = getattr(kind, "__args__", ())
    if origin is Union:  # Optional is the only one here
        return None if value is None else _decoded(value, arguments[0], field)
    if origin in (list, List):
        if not isinstance(value, list):
            raise _InvalidField("{} is {}, not a list".format(field, _shown(value)))
        return [_decoded(item, arguments[0], "{}[{}]".format(field, index)) for index, item in enumerate(value)]
    if origin in (dict, Dict):
        _check(value, dict, field)
        return {key: _decoded(item, arguments[1], _inside(field, key)) for key, item in value.items()}
    _check(value, kind, field)
    return value


def _named_tuple(value: Any, kind: Any, field: str) -> Any:
    _check(value, dict, field or "the document")
    for name in kind._fields:
        if name not in value:
            raise _InvalidField("{} is missing".format(_inside(field, name)))
    for name in value:
        if name not in kind._fields:
            raise _InvalidField("{} is not a field of version {}".format(_inside(field, name), VERSION))
    kinds = get_type_hints(kind)
    return kind(**{name: _decoded(value[name], kinds[name], _inside(field, name)) for name in kind._fields})


def _check(value: Any, kind: type, field: str) -> None:
    # In Python, bool is a subclass of int; JSON may write a float as an integer.
    fits = isinstance(value, (int, float) if kind is float else kind) and (kind is bool or not isinstance(value, bool))
    if not fits:
        raise _InvalidField("{} is {}, not {}".format(field, _shown(value), _KINDS[kind]))


def _inside(field: str, name: str) -> str:
    return "{}.{}".format(field, name) if field and field != "the document" else name


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
