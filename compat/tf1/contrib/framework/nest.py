"""tf.contrib.framework.nest: nested structures."""
from legacy_towers.compat.tf1.contrib.private.framework import nest as _nest

assert_same_structure = _nest.assert_same_structure
assert_shallow_structure = _nest.assert_shallow_structure
flatten = _nest.flatten
flatten_dict_items = _nest.flatten_dict_items
flatten_up_to = _nest.flatten_up_to
flatten_with_joined_string_paths = _nest.flatten_with_joined_string_paths
flatten_with_tuple_paths = _nest.flatten_with_tuple_paths
flatten_with_tuple_paths_up_to = _nest.flatten_with_tuple_paths_up_to
get_traverse_shallow_structure = _nest.get_traverse_shallow_structure
is_nested = _nest.is_nested
# TensorFlow 2.x has only is_nested.
is_sequence = _nest.is_nested
is_sequence_or_composite = _nest.is_sequence_or_composite
map_structure = _nest.map_structure
map_structure_up_to = _nest.map_structure_up_to
map_structure_with_paths = _nest.map_structure_with_paths
map_structure_with_tuple_paths = _nest.map_structure_with_tuple_paths
map_structure_with_tuple_paths_up_to = _nest.map_structure_with_tuple_paths_up_to
pack_sequence_as = _nest.pack_sequence_as
yield_flat_paths = _nest.yield_flat_paths
