"""xml.etree.cElementTree, which Python 3.9 removed: the same as xml.etree.ElementTree."""
import xml.etree.ElementTree as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
