"""Nested structures, as in tf.nest: dicts, tuples and lists of leaves.

In fed values a list can also be data, such as rows of numbers; `leaves_like` decides it by the spec of the values.

Messages name a leaf by its path: `query`, `query/image`, `pair/0`; a structure that is a single leaf has the path "".
"""
from typing import Any, Callable, Iterator, List, Tuple


def _items(structure: Any) -> Any:
    """Returns the (key, part) pairs of a dict, tuple or list, None for a leaf."""
    if isinstance(structure, dict):
        return list(structure.items())
    if isinstance(structure, (tuple, list)) and not _is_composite_value(structure):
        return list(enumerate(structure))
    return None


def _is_composite_value(structure: Any) -> bool:
    # What a session returns for a sparse or ragged leaf.
    return type(structure).__name__ in ("SparseTensorValue", "RaggedTensorValue")


def leaves(structure: Any, path: str = "") -> List[Tuple[str, Any]]:
    """Returns the (path, leaf) pairs of `structure`, depth first, dicts in the order of their keys."""
    items = _items(structure)
    if items is None:
        return [(path, structure)]
    return [pair for key, part in items for pair in leaves(part, _join(path, key))]


def leaves_of(structure: Any) -> List[Any]:
    """Returns the leaves of `structure`, in the order of `leaves`."""
    return [leaf for _, leaf in leaves(structure)]


def pack(structure: Any, new_leaves: Iterator[Any]) -> Any:
    """Returns a structure like `structure` that holds `new_leaves`, given in the order of `leaves`."""
    items = _items(structure)
    if items is None:
        return next(new_leaves)
    parts = [(key, pack(part, new_leaves)) for key, part in items]
    if isinstance(structure, dict):
        return dict(parts)
    values = [part for _, part in parts]
    if isinstance(structure, list):
        return values
    return type(structure)(*values) if hasattr(structure, "_fields") else tuple(values)


def lists_as_tuples(structure: Any) -> Any:
    """Returns `structure` with tuples for lists: tf.data would stack the tensors of a list."""
    items = _items(structure)
    if items is None:
        return structure
    parts = iter([lists_as_tuples(part) for _, part in items])
    if isinstance(structure, dict):
        return {key: next(parts) for key, _ in items}
    return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)


def map_leaves(function: Callable[[Any], Any], structure: Any) -> Any:
    """Returns `structure` with `function` applied to each leaf."""
    return pack(structure, iter([function(leaf) for _, leaf in leaves(structure)]))


def leaves_like(spec: Any, values: Any, path: str = "") -> Tuple[List[Any], str]:
    """Returns the parts of `values` at the leaves of `spec`, and an error message ("" if the structures match).

    A tuple matches a list and a list matches a tuple. A list at a leaf of `spec` is data.
    """
    if _items(spec) is None:
        return [values], ""
    name = "component {!r}".format(path) if path else "the batch"
    if isinstance(spec, dict):
        if not isinstance(values, dict):
            return [], "{} must be a dict of {}, got {}".format(name, _names(spec), type(values).__name__)
        missing = [key for key in spec if key not in values]
        unknown = [key for key in values if key not in spec]
        if missing:
            return [], "component {!r} is missing".format(_join(path, missing[0]))
        if unknown:
            return [], "component {!r} is unknown: the components are {}".format(_join(path, unknown[0]), _names(spec))
        pairs = [(key, part, values[key]) for key, part in spec.items()]
    else:
        if not isinstance(values, (tuple, list)) or len(values) != len(spec):
            given = len(values) if isinstance(values, (tuple, list)) else type(values).__name__
            return [], "{} must be a {} of {} components, got {}".format(
                name, "list" if isinstance(spec, list) else "tuple", len(spec), given
            )
        pairs = [(index, part, values[index]) for index, part in enumerate(spec)]
    found: List[Any] = []
    for key, part, value in pairs:
        below, wrong = leaves_like(part, value, _join(path, key))
        if wrong:
            return [], wrong
        found.extend(below)
    return found, ""


def _names(spec: dict) -> str:
    return ", ".join(repr(key) for key in spec)


def _join(path: str, key: Any) -> str:
    return "{}/{}".format(path, key) if path else str(key)
