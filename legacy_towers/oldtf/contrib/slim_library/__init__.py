"""tf_slim, imported a second time so that it works on today's TensorFlow: `slim_library.tf_slim`.

tf_slim 1.1.0 is tf.contrib's slim, layers, losses and metrics as they were, but it takes functions from private modules
of TensorFlow where they are no longer, and its batch_norm is built on a layer that is gone. Here its own files are
imported below another name: their import statements find TensorFlow's modules with what they had (compat.moved), find
each other, and batch_norm is ours. The tf_slim that others import stays as it is.
"""
import builtins
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Dict, Optional, Sequence

from legacy_towers.compat import moved, tf

_THEIRS = "tf_slim"
_OURS = __name__ + "." + _THEIRS


class _Loader(importlib.machinery.SourceFileLoader):
    """Runs a file of tf_slim with an `__import__` of its own."""

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__["__builtins__"] = _BUILTINS
        super().exec_module(module)
        if module.__name__ == _OURS + ".layers.layers":
            from legacy_towers.oldtf.contrib.slim_library.batch_norm import batch_norm

            module.__dict__["batch_norm"] = batch_norm
            # tf_slim uses this gradient by its name, but lost the line that gives it the name.
            tf.RegisterGradient("GDNLowerBound")(module.__dict__["GDN"]._lower_bound_grad)


class _Finder:
    """Finds the files of tf_slim below our name."""

    @staticmethod
    def find_spec(fullname: str, path: Any, target: Any = None) -> Any:
        if fullname == _OURS:
            theirs = importlib.util.find_spec(_THEIRS)
            if theirs is None or theirs.origin is None:
                raise ImportError(
                    "tf.contrib.slim, layers, losses, metrics and training are served by the package tf_slim, which is "
                    "not installed: pip install tf_slim"
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


def _import_of_their_files() -> Any:
    """Returns the `__import__` for the files of tf_slim."""
    as_they_were: Dict[str, Any] = dict(moved.modules_as_they_were())

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
        had = {each: as_they_were[name + "." + each] for each in fromlist or () if name + "." + each in as_they_were}
        if not had:
            return found
        package = types.ModuleType(name)
        package.__dict__.update({each: getattr(found, each) for each in fromlist or ()}, **had)
        return package

    return import_


_BUILTINS = dict(vars(builtins), __import__=_import_of_their_files())
if not any(getattr(finder, "__module__", None) == __name__ for finder in sys.meta_path):
    sys.meta_path.insert(0, _Finder)
