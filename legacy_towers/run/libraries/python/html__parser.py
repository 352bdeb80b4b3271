"""html.parser, whose HTMLParser has `unescape`, as before Python 3.9."""
import html
import html.parser as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)


class HTMLParser(_now.HTMLParser):
    def unescape(self, s: str) -> str:
        """Returns `s` with its entities (&amp; and so on) replaced by characters."""
        return html.unescape(s)
