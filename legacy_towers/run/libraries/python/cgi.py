"""cgi with `escape`, which Python 3.8 removed; Python 3.13 removed the module, and the shim has `escape` only."""
import importlib
import warnings

from legacy_towers.run.libraries.views import pass_on as _pass_on

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        _now = importlib.import_module("cgi")
    _pass_on(globals(), _now)
except ModuleNotFoundError:
    pass


def escape(s: str, quote: bool = False) -> str:
    """Returns `s` with &, < and > as HTML entities, and with `quote` double quotation marks, too."""
    s = s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return s.replace('"', "&quot;") if quote else s
