"""The TensorFlow 1.x API on the installed TensorFlow, for old scripts.

`tree` has a module for each module of TensorFlow 1.15. `registry` lists the names that TensorFlow dropped or changed,
and what implements each. Under `legacy-towers run` a script's imports of TensorFlow get these modules.
"""
