"""html.parser, whose HTMLParser has `unescape`, as before Python 3.9."""
import html
import html.parser as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = list(_now.__all__)


class HTMLParser(_now.HTMLParser):
    def unescape(self, s: str) -> str:
        """Returns `s` with its entities (&amp; and so on) replaced by characters."""
        return html.unescape(s)
