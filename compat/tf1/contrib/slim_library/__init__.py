"""tf_slim, imported as `slim_library.tf_slim` so that it works on all supported versions of TensorFlow.

tf_slim 1.1.0 contains tf.contrib's slim, layers, losses and metrics, but it imports functions from private modules of
TensorFlow that no longer have them, and its batch_norm needs a layer that TensorFlow removed. This package imports the
files of tf_slim under another name: their import statements find TensorFlow's modules with the names that they had
(compat/tf1/private/moved_modules.py), and each other; batch_norm is replaced. `import tf_slim` elsewhere is unchanged.
"""
import builtins
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Dict, Optional, Sequence

from legacy_towers.compat.tf1.private import moved_modules
from legacy_towers.compat.versions import tf

_THEIRS = "tf_slim"
_OURS = __name__ + "." + _THEIRS


class _Loader(importlib.machinery.SourceFileLoader):
    """Runs a file of tf_slim with the `__import__` of `_import_for_tf_slim`."""

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__["__builtins__"] = _BUILTINS
        super().exec_module(module)
        if module.__name__ == _OURS + ".layers.layers":
            from legacy_towers.compat.tf1.contrib.slim_library.batch_norm import batch_norm

            module.__dict__["batch_norm"] = batch_norm
            # tf_slim refers to this gradient by name, but does not register it.
            tf.RegisterGradient("GDNLowerBound")(module.__dict__["GDN"]._lower_bound_grad)


class _Finder:
    """Finds the files of tf_slim under the name `slim_library.tf_slim`."""

    @staticmethod
    def find_spec(fullname: str, path: Any, target: Any = None) -> Any:
        if fullname == _OURS:
            theirs = importlib.util.find_spec(_THEIRS)
            if theirs is None or theirs.origin is None:
                raise ImportError(
                    "tf.contrib.slim, layers, losses, metrics and training need the package tf_slim, which is not "
                    "installed: pip install tf_slim"
                )
            return importlib.util.spec_from_file_location(
                fullname,
                theirs.origin,
                loader=_Loader(fullname, theirs.origin),
                submodule_search_locations=list(theirs.submodule_search_locations or ()),
            )
        if not fullname.startswith(_OURS + "."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


def _import_for_tf_slim() -> Any:
    """Returns the `__import__` for the files of tf_slim."""
    modules: Dict[str, Any] = dict(moved_modules.modules_with_moved_names())

    def import_(
        name: str, globals: Any = None, locals: Any = None, fromlist: Optional[Sequence[str]] = (), level: int = 0
    ) -> Any:
        if name == _THEIRS or name.startswith(_THEIRS + "."):
            found = importlib.import_module(_OURS + name[len(_THEIRS) :])
            for each in fromlist or ():
                if each != "*" and not hasattr(found, each):
                    importlib.import_module(found.__name__ + "." + each)
            return found if fromlist else sys.modules[_OURS]
        found = builtins.__import__(name, globals, locals, fromlist or (), level)
        old_modules = {each: modules[name + "." + each] for each in fromlist or () if name + "." + each in modules}
        if not old_modules:
            return found
        package = types.ModuleType(name)
        package.__dict__.update({each: getattr(found, each) for each in fromlist or ()}, **old_modules)
        return package

    return import_


_BUILTINS = dict(vars(builtins), __import__=_import_for_tf_slim())
if not any(getattr(finder, "__module__", None) == __name__ for finder in sys.meta_path):
    sys.meta_path.insert(0, _Finder)
