"""Running a script whose imports of TensorFlow see the tree."""
