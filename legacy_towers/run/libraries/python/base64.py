"""base64 with `encodestring` and `decodestring`, which Python 3.9 removed."""
import base64 as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
encodestring = _now.encodebytes
decodestring = _now.decodebytes
