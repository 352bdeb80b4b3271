"""The names of Python 2 and their replacements.

Names that Python removed after 3.7 are in the shims of `run.libraries`, except for a few names of modules without a
shim, which are here.

A target is "module", "module:name" or ":name", a name in `runtime`.
"""
import re
from typing import Dict, FrozenSet, Tuple

_HERE = "legacy_towers.run.python2."

# Built-in names that only Python 2 had; `runtime` defines each under its own name.
BUILTINS: FrozenSet[str] = frozenset(
    "apply basestring buffer cmp coerce execfile file intern long raw_input reduce reload unichr unicode xrange "
    "StandardError".split()
)
# Built-in names that mean something else in Python 2; replaced in files that are Python 2.
CHANGED_BUILTINS: FrozenSet[str] = frozenset("filter input map open ord range round sorted zip".split())

# Functions that return an iterator, and methods that return a view, where those of Python 2 returned a list.
ITERATORS = ("map", "zip", "filter")
VIEWS = ("keys", "values", "items")

# Modules that were removed or renamed -> their replacements.
MODULES: Dict[str, str] = {
    "__builtin__": "builtins",
    "BaseHTTPServer": "http.server",
    "commands": "subprocess",
    "ConfigParser": "configparser",
    "cookielib": "http.cookiejar",
    "copy_reg": "copyreg",
    "cPickle": _HERE + "pickles",
    "cStringIO": _HERE + "string_io",
    "dummy_thread": "_thread",
    "exceptions": "builtins",
    "HTMLParser": "html.parser",
    "htmlentitydefs": "html.entities",
    "httplib": "http.client",
    "md5": "hashlib",
    "Queue": "queue",
    "repr": "reprlib",
    "robotparser": "urllib.robotparser",
    "sets": _HERE + "sets",
    "SimpleHTTPServer": "http.server",
    "SocketServer": "socketserver",
    "StringIO": _HERE + "string_io",
    "thread": "_thread",
    "Tkinter": "tkinter",
    "tkMessageBox": "tkinter.messagebox",
    "urllib2": _HERE + "urllib2",
    "urlparse": "urllib.parse",
    "UserDict": "collections",
    "xmlrpclib": "xmlrpc.client",
}
# Modules that behave differently in Python 2; replaced in files that are Python 2.
CHANGED_MODULES: Dict[str, str] = {"pickle": _HERE + "pickles", "csv": _HERE + "csv2"}


def _same(module: str, new: str, names: str) -> Dict[Tuple[str, str], str]:
    return {(module, name): "{}:{}".format(new, name) for name in names.split()}


def _renamed(module: str, new: str, names: str) -> Dict[Tuple[str, str], str]:
    pairs = (pair.split("=") for pair in names.split())
    return {(module, old): "{}:{}".format(new, name) for old, name in pairs}


# (module, name) -> its replacement if the module no longer has it.
ATTRIBUTES: Dict[Tuple[str, str], str] = {
    # Python 2
    **_renamed("itertools", "builtins", "izip=zip imap=map ifilter=filter"),
    **_renamed("itertools", "itertools", "izip_longest=zip_longest ifilterfalse=filterfalse"),
    **_renamed("os", "os", "getcwdu=getcwd"),
    **_renamed("string", "string", "letters=ascii_letters lowercase=ascii_lowercase uppercase=ascii_uppercase"),
    **_renamed("string", "builtins", "atoi=int atof=float atol=int"),
    **_renamed("string", "builtins", "lower=str.lower upper=str.upper split=str.split strip=str.strip"),
    **_renamed("string", "builtins", "replace=str.replace find=str.find maketrans=str.maketrans zfill=str.zfill"),
    ("string", "join"): ":string_join",
    **_renamed("sys", "sys", "maxint=maxsize"),
    ("sys", "setdefaultencoding"): ":nothing",
    ("sys", "exc_clear"): ":nothing",
    **_renamed("types", "builtins", "StringType=str UnicodeType=str IntType=int LongType=int FloatType=float"),
    **_renamed("types", "builtins", "ListType=list TupleType=tuple DictType=dict BooleanType=bool ObjectType=object"),
    **_renamed("types", "builtins", "TypeType=type ClassType=type FileType=open DictionaryType=dict"),
    **_renamed("types", "types", "InstanceType=SimpleNamespace"),
    ("types", "NoneType"): ":NoneType",
    ("types", "StringTypes"): ":basestring",
    ("operator", "div"): ":div",
    ("operator", "isCallable"): "builtins:callable",
    ("operator", "sequenceIncludes"): "operator:contains",
    **_same("urllib", "urllib.request", "urlopen urlretrieve URLopener FancyURLopener pathname2url url2pathname"),
    **_same("urllib", "urllib.request", "urlcleanup getproxies ProxyHandler"),
    **_same("urllib", "urllib.parse", "quote quote_plus unquote unquote_plus urlencode"),
    # Python 3.7
    ("platform", "linux_distribution"): ":linux_distribution",
    ("platform", "dist"): ":linux_distribution",
    ("sys", "setcheckinterval"): ":nothing",
    ("sys", "getcheckinterval"): ":hundred",
    ("locale", "format"): "locale:format_string",
    ("logging", "warn"): "logging:warning",
    ("pipes", "quote"): "shlex:quote",
    # Pillow 10 removed these names of filters.
    **_renamed("PIL.Image", "PIL.Image", "ANTIALIAS=LANCZOS LINEAR=BILINEAR CUBIC=BICUBIC"),
}
# (module, name) -> its replacement in files that are Python 2, for functions that behave differently there.
CHANGED_ATTRIBUTES: Dict[Tuple[str, str], str] = {
    ("random", "sample"): ":random_sample",
    ("subprocess", "check_output"): ":check_output",
}
# Methods and attributes of objects, see `methods`.
METHODS: FrozenSet[str] = frozenset(
    "assertItemsEqual func_closure func_code func_defaults func_dict func_doc func_globals func_name has_key im_class "
    "im_func im_self iteritems iterkeys itervalues next viewitems viewkeys viewvalues".split()
)
# Methods and attributes that are replaced in files that are Python 2 only.
CHANGED_METHODS: FrozenSet[str] = frozenset(["message"])


def words_of(source: bytes) -> FrozenSet[str]:
    """Returns the words of a file: what it mentions without one of them, it does not use."""
    return frozenset(re.findall(r"\w+", source.decode("latin1")))


def mention_old_names(words: FrozenSet[str]) -> bool:
    """Returns whether a file with these words may use a name that only Python 2 had."""
    old = BUILTINS | METHODS | {name for _, name in ATTRIBUTES} | {name.rpartition(".")[2] for name in MODULES}
    return not old.isdisjoint(words)


def mention_lists(words: FrozenSet[str]) -> bool:
    """Returns whether a file with these words may use what Python 2 returned as a list."""
    return not words.isdisjoint(ITERATORS + VIEWS + ("range",))
