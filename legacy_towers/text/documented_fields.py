"""Sets the docstrings of NamedTuple fields, so that `help` shows the "Attributes:" of the class."""
import inspect
import re
from typing import Any, Dict, Type, TypeVar

Class = TypeVar("Class", bound=Type[Any])
_FIELDS = re.compile(r"(\w+(?:, \w+)*): ?(.*)")


def documented_fields(named_tuple: Class) -> Class:
    """Replaces each field's docstring, "Alias for field number 0", by its text in the docstring of the class.

    Undocumented fields get an empty docstring.

    Args:
      named_tuple: a subclass of NamedTuple, whose docstring may have a section "Attributes:" with lines
        "name: text" or "name, name: text".

    Returns:
      the class, so that this is a class decorator.
    """
    texts = attributes_of(named_tuple.__doc__ or "")
    for name in named_tuple._fields:
        getattr(named_tuple, name).__doc__ = texts.get(name, "")
    return named_tuple


def attributes_of(docstring: str) -> Dict[str, str]:
    """Returns attribute name -> text for the section "Attributes:" of a docstring."""
    _, title, section = inspect.cleandoc(docstring).partition("Attributes:\n")
    texts: Dict[str, str] = {}
    names: Any = ()
    for line in section.splitlines() if title else []:
        if line and not line.startswith(" "):
            break
        found = _FIELDS.match(line[2:])
        if found and not line.startswith("   "):
            names = found.group(1).split(", ")
            texts.update(dict.fromkeys(names, found.group(2)))
        elif line.strip():
            for name in names:
                texts[name] = "{} {}".format(texts[name], line.strip()).strip()
    return texts
