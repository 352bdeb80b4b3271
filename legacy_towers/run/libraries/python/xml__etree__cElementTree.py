"""xml.etree.cElementTree, which Python 3.9 removed: the same as xml.etree.ElementTree."""
import xml.etree.ElementTree as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = [name for name in vars(_now) if not name.startswith("_")]
