"""Controls a headless Chromium by the DevTools protocol over a pipe, without further packages."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "no browser found: none of {} is on the PATH".format(", ".join(NAMES))
_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync "
    "--disable-component-update --disable-default-apps --disable-extensions --disable-dev-shm-usage --mute-audio "
    "--hide-scrollbars --remote-debugging-pipe"
).split()


def find():
    """Returns the path of a Chromium, None if there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chromium:
    """A browser with one empty page; close it, or use it as a context manager.

    Attributes:
      events: (method, parameters) of each event that the browser sent since `open`.
    """

    def __init__(self, profile, seconds=180):
        """Starts the browser with an empty folder as its profile; no answer within `seconds` is an error."""
        self.events = []
        self._seconds = seconds
        self._last_id = 0
        self._session = None
        self._received = b""
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # The browser reads commands from file descriptor 3 and writes answers to 4; both may be in use before.
        shell = 'exec 8<&{} 9>&{}; exec 3<&8 4>&9 8<&- 9>&-; exec "$@"'.format(to_read, to_write)
        command = ["bash", "-c", shell, "bash", find(), "--user-data-dir={}".format(profile)] + _FLAGS + ["about:blank"]
        self._log = open(os.path.join(str(profile), "stderr.txt"), "w+b")
        self._process = subprocess.Popen(
            command, pass_fds=(to_read, to_write), stdout=self._log, stderr=self._log, stdin=subprocess.DEVNULL
        )
        os.close(to_read)
        os.close(to_write)
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(domain + ".enable")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the browser; its own children end with it."""
        try:
            os.write(self._write, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
        except OSError:
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._log.close()

    def call(self, method, **parameters):
        """Sends a command of the protocol and returns the browser's answer."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self._seconds
        while True:
            answer = self._next(deadline)
            if answer.get("id") == self._last_id:
                assert "error" not in answer, "{}: {}".format(method, answer["error"])
                return answer["result"]
            self.events.append((answer.get("method"), answer.get("params")))

    def open(self, path):
        """Opens a file and waits until it is loaded."""
        self.events = []
        self.call("Page.navigate", url="file://" + path)
        deadline = time.monotonic() + self._seconds
        while "Page.loadEventFired" not in [method for method, _ in self.events]:
            answer = self._next(deadline)
            self.events.append((answer.get("method"), answer.get("params")))

    def look(self, width, dark=False, height=900):
        """Sets the size of the window in CSS pixels and the preferred colour scheme."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, expression):
        """Returns the value of a JavaScript expression in the page as Python values."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def screenshot(self, path):
        """Writes the whole page as a PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as target:
            target.write(base64.b64decode(data))

    def complaints(self):
        """Returns console output, errors and blocked requests of the page since `open`."""
        found = []
        for method, parameters in self.events:
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                found.append(json.dumps(parameters))
            if method == "Page.javascriptDialogOpening":
                found.append("a dialog opened: " + json.dumps(parameters))
        return found

    def requests(self):
        """Returns the URLs that the page requested since `open`."""
        sent = [parameters for method, parameters in self.events if method == "Network.requestWillBeSent"]
        return [parameters["request"]["url"] for parameters in sent]

    def _next(self, deadline):
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            piece = os.read(self._read, 1 << 16) if ready else b""
            if not piece:
                self._log.flush()
                self._log.seek(0)
                log = self._log.read().decode("utf-8", "replace")[-2000:]
                what = "ended" if ready else "did not answer in {} s".format(self._seconds)
                raise RuntimeError("the browser {}:\n{}".format(what, log))
            self._received += piece
        message, _, self._received = self._received.partition(b"\0")
        return json.loads(message.decode("utf-8"))
