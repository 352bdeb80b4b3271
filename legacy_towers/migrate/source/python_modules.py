"""The modules that come with Python 2 and 3, whose names files of a project don't take over."""

PYTHON_MODULES = frozenset(
    "Queue StringIO __builtin__ __future__ _thread abc argparse array ast asyncio atexit base64 bisect builtins bz2 "
    "cPickle cProfile cStringIO calendar cmath codecs collections colorsys concurrent configparser ConfigParser "
    "contextlib copy copy_reg copyreg csv ctypes dataclasses datetime decimal difflib dis distutils email enum errno "
    "faulthandler fcntl fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob gzip hashlib heapq "
    "hmac html http imghdr importlib inspect io itertools json keyword linecache locale logging lzma marshal math "
    "mimetypes mmap multiprocessing numbers operator optparse os pathlib pdb pickle pickletools pkgutil platform "
    "pprint pstats queue random re readline reprlib resource sched select shelve shlex shutil signal site smtplib "
    "socket sqlite3 ssl stat statistics string struct subprocess sys sysconfig syslog tarfile telnetlib tempfile "
    "textwrap thread threading time timeit tkinter token tokenize trace traceback types typing unicodedata unittest "
    "urllib urllib2 urlparse uuid warnings wave weakref webbrowser xml zipfile zlib".split()
)
