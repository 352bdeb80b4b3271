"""sets, which became built-in types."""

Set = set
ImmutableSet = frozenset
