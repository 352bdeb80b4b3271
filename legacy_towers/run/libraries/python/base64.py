"""base64 with `encodestring` and `decodestring`, which Python 3.9 removed."""
import base64 as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = [name for name in vars(_now) if not name.startswith("_")] + ["encodestring", "decodestring"]
encodestring = _now.encodebytes
decodestring = _now.decodebytes
