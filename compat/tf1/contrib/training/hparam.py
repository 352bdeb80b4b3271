"""HParams, a set of named hyperparameters, and parse_values."""
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
    """Parses hyperparameter values such as "rate=0.1,layers=[64,32],flag=true,sizes[1]=3".

    Args:
      values: assignments separated by commas.
      type_map: name -> type of the value, or of the elements of a list.
      ignore_unknown: whether names that are not in `type_map` are ignored; otherwise they are an error.

    Returns:
      name -> value; a list for "name=[...]", a dict index -> value for "name[index]=value".

    Raises:
      ValueError: `values` has a syntax error, a value of the wrong type, or two assignments to one name.
    """
    results: Dict[str, Any] = {}
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
        _add_clause(results, clause, type_map[name], values)
    return results


def _add_clause(results: Dict[str, Any], clause: Any, value_type: Any, whole: str) -> None:
    name, index, text = clause.group("name"), clause.group("index"), clause.group("value")
    parse = _parser(value_type)
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
                name, value_type.__name__, clause.group("values") if is_list else text, whole
            )
        ) from None
    if index is None:
        if name in results:
            raise ValueError("Multiple assignments to variable '{}' in {}".format(name, whole))
        results[name] = value
        return
    elements = results.setdefault(name, {})
    if not isinstance(elements, dict):
        raise ValueError("Multiple assignments to variable '{}' in {}".format(name, whole))
    if int(index) in elements:
        raise ValueError("Multiple assignments to variable '{}[{}]' in {}".format(name, int(index), whole))
    elements[int(index)] = value


def _parser(value_type: Any) -> Callable[[str], Any]:
    return _parse_bool if value_type is bool else value_type


def _parse_bool(text: str) -> bool:
    named = {"true": True, "True": True, "false": False, "False": False}
    return named[text] if text in named else bool(int(text))


def _cast(name: str, value_type: Any, value: Any) -> Any:
    """Returns `value` converted to `value_type`.

    Raises:
      ValueError: the conversion would lose information, such as a float to an int.
    """
    if type(value) is value_type or issubclass(value_type, type(None)):
        return value
    is_incompatible = (
        (issubclass(value_type, (str, bytes)) and not isinstance(value, (str, bytes)))
        or issubclass(value_type, bool) != isinstance(value, bool)
        or (issubclass(value_type, numbers.Integral) and not isinstance(value, numbers.Integral))
        or (issubclass(value_type, numbers.Number) and not isinstance(value, numbers.Number))
    )
    if is_incompatible:
        raise ValueError("Could not cast hparam '{}' of type '{}' from value {!r}".format(name, value_type, value))
    return value_type(value)


class HParams:
    """A set of hyperparameters, which are attributes. The type of each is that of its first value.

    Args:
      hparam_def: must be None: the protocol buffer HParamDef is not supported.
      model_structure: returned by `get_model_structure`.
      **kwargs: name -> value: an int, float, bool or string, or a list of values of one of these types.

    Raises:
      ValueError: `hparam_def` is given, a name is that of another attribute, or a list is empty.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._hparam_types: Dict[str, Any] = {}
        self._model_structure = model_structure
        if hparam_def:
            raise ValueError(
                "hparam_def is not supported: TensorFlow 2.x does not have the protocol buffer HParamDef. Pass the "
                "values as keyword arguments, or use parse_json"
            )
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter.

        Raises:
          ValueError: the name is in use, or the list is empty.
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
        """Sets a hyperparameter.

        Raises:
          KeyError: the name is unknown.
          ValueError: the value has the wrong type.
        """
        value_type, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError("Must not pass a list for single-valued parameter: {}".format(name))
            setattr(self, name, [_cast(name, value_type, each) for each in value])
            return
        if is_list:
            raise ValueError("Must pass a list for multi-valued parameter: {}.".format(name))
        setattr(self, name, _cast(name, value_type, value))

    def del_hparam(self, name: str) -> None:
        """Removes a hyperparameter if it exists."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> "HParams":
        """Overrides hyperparameters with `parse_values(values)`, and returns this object.

        Raises:
          ValueError: `values` has a syntax error, an unknown name, or a value of the wrong type.
        """
        type_map = {name: value_type for name, (value_type, _) in self._types()}
        return self.override_from_dict(parse_values(values, type_map))

    def parse_json(self, values_json: str) -> "HParams":
        """Overrides hyperparameters with the values of a JSON object, and returns this object."""
        return self.override_from_dict(json.loads(values_json))

    def override_from_dict(self, values_dict: Dict[str, Any]) -> "HParams":
        """Overrides hyperparameters with the values of a dict, and returns this object."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: Dict[str, Any]) -> "HParams":
        """Calls `override_from_dict`; the former name of that method."""
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure: Any) -> None:
        """Sets the model structure."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """Returns the model structure."""
        return self._model_structure

    def to_json(self, indent: Optional[int] = None, separators: Any = None, sort_keys: bool = False) -> str:
        """Returns the values as a JSON object; the arguments are those of json.dumps."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Raises NotImplementedError: the protocol buffer HParamDef is not supported."""
        raise NotImplementedError("TensorFlow 2.x does not have the protocol buffer HParamDef: use to_json")

    def values(self) -> Dict[str, Any]:
        """Returns name -> value."""
        return {name: getattr(self, name) for name, _ in self._types()}

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the value of `key`, or `default` if the name is unknown.

        Raises:
          ValueError: `default` does not have the type of the hyperparameter.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            self._check_default(key, default)
        return getattr(self, key)

    def _check_default(self, key: str, default: Any) -> None:
        value_type, is_list = self._hparam_types[key]
        type_name = "list<{}>".format(value_type) if is_list else str(value_type)
        message = "Hparam '{}' of type '{}' is incompatible with default={}".format(key, type_name, default)
        if is_list != isinstance(default, list):
            raise ValueError(message)
        try:
            for each in default if is_list else [default]:
                _cast(key, value_type, each)
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
