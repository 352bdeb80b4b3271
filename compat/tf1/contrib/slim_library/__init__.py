"""tf_slim, imported as `slim_library.tf_slim` so that it works on all supported versions of TensorFlow.

tf_slim 1.1.0 contains tf.contrib's slim, layers, losses and metrics, but it imports functions from private modules of
TensorFlow that no longer have them, and its batch_norm needs a layer that TensorFlow removed. This package imports the
files of tf_slim under another name: their import statements find TensorFlow's modules with the names that they had
(compat/tf1/private/moved_modules.py), and each other; batch_norm is replaced. `import tf_slim` elsewhere is unchanged.
"""
import builtins
import types
from typing import Any, Callable, Sequence

from legacy_towers.compat.tf1.contrib import adapted_library
from legacy_towers.compat.tf1.private import moved_modules
from legacy_towers.compat.versions import tf


def _import_moved() -> Callable[[str, Sequence[str]], Any]:
    """Returns the function that finds the modules which tf_slim imports from TensorFlow."""
    modules = dict(moved_modules.modules_with_moved_names())

    def import_other(name: str, names: Sequence[str]) -> Any:
        old_modules = {each: modules[name + "." + each] for each in names if name + "." + each in modules}
        if not old_modules:
            return None
        found = builtins.__import__(name, fromlist=tuple(names))
        package = types.ModuleType(name)
        package.__dict__.update({each: getattr(found, each) for each in names}, **old_modules)
        return package

    return import_other


def _layers(module: Any) -> None:
    from legacy_towers.compat.tf1.contrib.slim_library.batch_norm import batch_norm

    module.batch_norm = batch_norm
    # tf_slim refers to this gradient by name, but does not register it.
    tf.RegisterGradient("GDNLowerBound")(module.GDN._lower_bound_grad)


adapted_library.install(
    adapted_library.Adaptation(
        theirs="tf_slim",
        ours=__name__ + ".tf_slim",
        missing="tf.contrib.slim, layers, losses, metrics and training need the package tf_slim, which is not "
        "installed: pip install tf_slim",
        import_other=_import_moved(),
        after={"layers.layers": _layers},
    )
)
