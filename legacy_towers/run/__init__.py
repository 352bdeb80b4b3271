"""`legacy-towers run`: runs a script whose imports of TensorFlow get TensorFlow 1.x."""
