"""cgi with `escape`, which Python 3.8 dropped; from Python 3.13 on `escape` is all there is."""
import importlib
import warnings

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        _now = importlib.import_module("cgi")
    globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
except ModuleNotFoundError:
    pass


def escape(s: str, quote: bool = False) -> str:
    """Returns `s` with &, < and > as HTML writes them, and with `quote` the double quotation mark."""
    s = s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return s.replace('"', "&quot;") if quote else s
