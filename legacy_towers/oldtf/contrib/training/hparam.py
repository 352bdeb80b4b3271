"""Hyperparameters: values with names, which text can override."""
import json
import numbers
import re
from typing import Any, Callable, Dict, Optional

__all__ = ["HParams", "parse_values"]

# name = value, or name[index] = value, or name = [values].
_CLAUSE = re.compile(
    r"""(?P<name>[a-zA-Z][\w\.]*)
        (\[\s*(?P<index>\d+)\s*\])?
        \s*=\s*
        ((?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])
        ($|,\s*)""",
    re.VERBOSE,
)


def parse_values(values: str, type_map: Dict[str, Any], ignore_unknown: bool = False) -> Dict[str, Any]:
    """Returns name -> value of text such as "rate=0.1,layers=[64,32],flag=true,sizes[1]=3".

    Args:
      values: clauses with commas between.
      type_map: name -> type of the value, or of the elements of a list.
      ignore_unknown: whether names without a type are left out, else they are an error.

    Returns:
      A value, a list, or for "name[index]=value" a dict from index to value.

    Raises:
      ValueError: the text can't be read as that.
    """
    found: Dict[str, Any] = {}
    position = 0
    while position < len(values):
        clause = _CLAUSE.match(values, position)
        if clause is None:
            raise ValueError("Malformed hyperparameter value: {}".format(values[position:]))
        position = clause.end()
        name = clause.group("name")
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError("Unknown hyperparameter type for {}".format(name))
        _add_clause(found, clause, type_map[name], values)
    return found


def _add_clause(found: Dict[str, Any], clause: Any, kind: Any, whole: str) -> None:
    name, index, text = clause.group("name"), clause.group("index"), clause.group("value")
    parse = _parser(kind)
    is_list = text is None
    if is_list and index is not None:
        raise ValueError("Assignment of a list to a list index.")
    try:
        if is_list:
            value = [parse(each) for each in re.split("[ ,]", clause.group("values")) if each]
        else:
            value = parse(text)
    except ValueError:
        raise ValueError(
            "Could not parse hparam '{}' of type '{}' with value '{}' in {}".format(
                name, kind.__name__, clause.group("values") if is_list else text, whole
            )
        ) from None
    if index is None:
        if name in found:
            raise ValueError("Multiple assignments to variable '{}' in {}".format(name, whole))
        found[name] = value
        return
    elements = found.setdefault(name, {})
    if not isinstance(elements, dict):
        raise ValueError("Multiple assignments to variable '{}' in {}".format(name, whole))
    if int(index) in elements:
        raise ValueError("Multiple assignments to variable '{}[{}]' in {}".format(name, int(index), whole))
    elements[int(index)] = value


def _parser(kind: Any) -> Callable[[str], Any]:
    return _parse_bool if kind is bool else kind


def _parse_bool(text: str) -> bool:
    named = {"true": True, "True": True, "false": False, "False": False}
    return named[text] if text in named else bool(int(text))


def _cast(name: str, kind: Any, value: Any) -> Any:
    """Returns `value` as `kind`, where nothing is lost by that.

    Raises:
      ValueError: it is of another kind.
    """
    if type(value) is kind or issubclass(kind, type(None)):
        return value
    wrong = (
        (issubclass(kind, (str, bytes)) and not isinstance(value, (str, bytes)))
        or issubclass(kind, bool) != isinstance(value, bool)
        or (issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral))
        or (issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number))
    )
    if wrong:
        raise ValueError("Could not cast hparam '{}' of type '{}' from value {!r}".format(name, kind, value))
    return kind(value)


class HParams:
    """Hyperparameters; each is an attribute. Its type is that of its first value.

    Args:
      hparam_def: a HParamDef, the protocol buffer of tf.contrib, which is not served.
      model_structure: kept for `get_model_structure`.
      **kwargs: name -> value: an int, float, bool or text, or a list of one of those.

    Raises:
      ValueError: a name is one of the attributes of this class, or a list is empty.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._hparam_types: Dict[str, Any] = {}
        self._model_structure = model_structure
        if hparam_def:
            raise ValueError(
                "HParams from a HParamDef are not served, for its protocol buffer ended with TensorFlow 1.15: "
                "pass the values by name, or use parse_json"
            )
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter.

        Raises:
          ValueError: the name is taken, or the list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError("Hyperparameter name is reserved: {}".format(name))
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError("Multi-valued hyperparameters cannot be empty: {}".format(name))
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Gives a hyperparameter another value of its type.

        Raises:
          KeyError: there is none of this name.
          ValueError: the value is of another type.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError("Must not pass a list for single-valued parameter: {}".format(name))
            setattr(self, name, [_cast(name, kind, each) for each in value])
            return
        if is_list:
            raise ValueError("Must pass a list for multi-valued parameter: {}.".format(name))
        setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Takes a hyperparameter away, if it is there."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> "HParams":
        """Overrides values by text, see `parse_values`; returns itself.

        Raises:
          ValueError: the text can't be read, or a name is unknown.
        """
        return self.override_from_dict(parse_values(values, {name: kind for name, (kind, _) in self._types()}))

    def parse_json(self, values_json: str) -> "HParams":
        """Overrides values by a JSON object; returns itself."""
        return self.override_from_dict(json.loads(values_json))

    def override_from_dict(self, values_dict: Dict[str, Any]) -> "HParams":
        """Overrides values; returns itself."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: Dict[str, Any]) -> "HParams":
        """The older name of `override_from_dict`."""
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure: Any) -> None:
        """Keeps a model structure."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """Returns the model structure."""
        return self._model_structure

    def to_json(self, indent: Optional[int] = None, separators: Any = None, sort_keys: bool = False) -> str:
        """Returns the values as a JSON object; for the arguments see json.dumps."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """The protocol buffer of tf.contrib is not served.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError("the protocol buffer HParamDef ended with TensorFlow 1.15: use to_json")

    def values(self) -> Dict[str, Any]:
        """Returns name -> value."""
        return {name: getattr(self, name) for name, _ in self._types()}

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the value of `key`, or `default` where there is none.

        Raises:
          ValueError: `default` is of another type than the value.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            self._check_default(key, default)
        return getattr(self, key)

    def _check_default(self, key: str, default: Any) -> None:
        kind, is_list = self._hparam_types[key]
        shown = "list<{}>".format(kind) if is_list else str(kind)
        message = "Hparam '{}' of type '{}' is incompatible with default={}".format(key, shown, default)
        if is_list != isinstance(default, list):
            raise ValueError(message)
        try:
            for each in default if is_list else [default]:
                _cast(key, kind, each)
        except ValueError as error:
            raise ValueError("{}. {}".format(message, error)) from None

    def _types(self) -> Any:
        return self._hparam_types.items()

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join("{}={}".format(name, value) for name, value in self.values().items())

    def __repr__(self) -> str:
        return "{}({})".format(type(self).__name__, sorted(self.values().items()))
