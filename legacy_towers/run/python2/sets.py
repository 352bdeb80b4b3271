"""The module sets, whose classes are built-in types in Python 3."""

Set = set
ImmutableSet = frozenset
