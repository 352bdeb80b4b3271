"""The file mode "U", universal newlines, which Python 3.11 removed: text mode has them by default."""


def without_u(mode: str) -> str:
    """Returns the mode of open() that means the same without "U": "r" for "rU" and "U"."""
    plain = mode.replace("U", "")
    return plain if "r" in plain else "r" + plain
