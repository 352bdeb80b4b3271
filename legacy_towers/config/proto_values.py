"""Checks the values of options and converts them to those of protocol buffer fields."""
import difflib
import math
import re
from typing import Any, Callable, List, Mapping

from legacy_towers.errors import ArgumentError

# Converts the value of an option to that of a field; raises TypeError or ValueError for invalid ones.
Converter = Callable[[Any], Any]
_INT32_MAX = 2**31 - 1


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def zero_if_true(value: Any) -> Any:
    """Returns the count 0 for True, and None, which means no count, for False."""
    return 0 if boolean(value) else None


def whole(lowest: int) -> Converter:
    """Returns a converter for whole numbers, also numpy's, of at least `lowest` that fit into 32 bits."""

    def convert(value: Any) -> int:
        if isinstance(value, bool) or int(value) != value or not lowest <= value <= _INT32_MAX:
            raise ValueError(value)
        return int(value)

    return convert


def one_of(choices: Mapping[str, Any]) -> Converter:
    def convert(value: Any) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise ValueError(value)
        return choices[value]

    return convert


def fraction(value: Any) -> float:
    if isinstance(value, (bool, str)) or not 0 < value <= 1:
        raise ValueError(value)
    return float(value)


def milliseconds(seconds: Any) -> int:
    if isinstance(seconds, (bool, str)) or not 0.001 <= seconds < 2**31:
        raise ValueError(seconds)
    return int(math.ceil(seconds * 1000))


def gpu_list(value: Any) -> str:
    numbers = [int(each) for each in value.split(",")] if isinstance(value, str) else [whole(0)(each) for each in value]
    if not numbers or min(numbers) < 0 or len(set(numbers)) < len(numbers):
        raise ValueError(value)
    return ",".join(str(number) for number in numbers)


def virtual_gpus(value: Any) -> List[Any]:
    from legacy_towers.compat import tf

    limits = [[float(limit) for limit in gpu] for gpu in value]
    if not limits or not all(limits) or any(not 0 < limit < math.inf for gpu in limits for limit in gpu):
        raise ValueError(value)
    return [tf.GPUOptions.Experimental.VirtualDevices(memory_limit_mb=gpu) for gpu in limits]


def device_filters(value: Any) -> List[str]:
    filters = [value] if isinstance(value, str) else list(value)
    if not filters or not all(isinstance(each, str) and each.startswith("/") and each[1:] for each in filters):
        raise ValueError(value)
    return filters


def task(value: Any) -> str:
    """Returns the full name of a task, replica included: TensorFlow compares full names."""
    parts = re.match(r"/job:(\w+)(?:/replica:(\d+))?/task:(\d+)$", value)
    if parts is None:
        raise ValueError(value)
    return "/job:{}/replica:{}/task:{}".format(parts.group(1), parts.group(2) or 0, parts.group(3))


def set_path(message: Any, path: str, value: Any) -> None:
    """Sets the field at a path such as `gpu_options.allow_growth`, or the entry of a map, such as `device_count[CPU]`.

    A list replaces the field's old list; None removes the map's entry.
    """
    *parents, name = path.split(".")
    for parent in parents:
        message = getattr(message, parent)
    if name.endswith("]"):
        name, key = name[:-1].split("[")
        getattr(message, name).pop(key, None)
        if value is not None:
            getattr(message, name)[key] = value
    elif isinstance(value, list):
        message.ClearField(name)
        getattr(message, name).extend(value)
    else:
        setattr(message, name, value)


def set_fields(message: Any, option: str, fields: Mapping[str, Any]) -> None:
    """Sets fields of a protocol buffer by name.

    Args:
        message: the protocol buffer.
        option: the name of the option, for error messages.
        fields: field name -> value: a number, bool or string; for an enum the name of a value, in upper or lower case.

    Raises:
        ArgumentError: a field is unknown, missing on this TensorFlow, or its value is invalid.
    """
    if not isinstance(fields, Mapping):
        raise ArgumentError("{} must be a mapping from names of fields to values, not {!r}".format(option, fields))
    for name, value in fields.items():
        field = message.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise ArgumentError(_missing_field(message.DESCRIPTOR, option, name))
        where = "{}[{!r}]".format(option, name)
        converted = _field_value(field, where, value)
        try:
            set_path(message, name, converted)
        except (TypeError, ValueError):  # a fraction for an integer field, or too many bits
            raise ArgumentError("{} can't be {!r}: it is out of the field's range".format(where, value)) from None


def _missing_field(descriptor: Any, option: str, name: str) -> str:
    from legacy_towers.compat import tf
    from legacy_towers.compat.versions import config_fields

    message = descriptor.full_name.split(".", 1)[1]
    since = config_fields.first_version(message, name)
    if since is not None:
        return "{}[{!r}] needs TensorFlow {} or newer: the {} of TensorFlow {} has no such field".format(
            option, name, since, message, tf.__version__
        )
    near = difflib.get_close_matches(str(name), [field.name for field in descriptor.fields], 1)
    hint = ", did you mean {!r}?".format(near[0]) if near else ""
    return "{} has an unknown key {!r}: no supported TensorFlow has this field in {}{}".format(
        option, name, message, hint
    )


def _field_value(field: Any, option: str, value: Any) -> Any:
    from legacy_towers.compat.versions import config_fields

    if field.message_type is not None:
        raise ArgumentError("{} is a nested message: set it in a ConfigProto and pass that as base".format(option))
    if field.enum_type is not None:
        choices = _enum_choices(field.enum_type)
        key = value.lower() if isinstance(value, str) else value
        # True == 1, so that the types are compared too.
        found = [number for choice, number in choices.items() if choice == key and type(choice) is type(key)]
        if not found:
            names = [repr(choice) for choice in choices if isinstance(choice, str)]
            raise ArgumentError("{} must be one of {}, not {!r}".format(option, ", ".join(names), value))
        return found[0]
    if config_fields.is_repeated(field):
        if isinstance(value, str) or not all(isinstance(each, str) for each in value):
            raise ArgumentError("{} must be a list of names, not {!r}".format(option, value))
        return list(value)
    kinds = {field.CPPTYPE_BOOL: (bool, "True or False"), field.CPPTYPE_STRING: (str, "text")}
    kind, allowed = kinds.get(field.cpp_type, ((int, float), "a number"))
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ArgumentError("{} must be {}, not {!r}".format(option, allowed, value))
    return value


def _enum_choices(enum: Any) -> Mapping[Any, int]:
    """Returns name -> number for the values of `enum`, in lower case, also for True and False if it has on and off."""
    short_names = {"default_mem_opt": "default", "default_num_iters": "default", "no_mem_opt": "off"}
    choices: dict = {}
    for each in enum.values:
        name = each.name.lower()
        choices[short_names.get(name, name)] = each.number
    if "off" in choices:
        choices[False] = choices["off"]
    if "on" in choices:
        choices[True] = choices["on"]
    return choices
