"""The machine as the running script meets it: its devices, its sessions, the count of its session runs."""
import collections
import contextlib
from typing import Any, Counter, Dict, NamedTuple, Optional

from legacy_towers.oldtf import current
from legacy_towers.oldtf.machine import ending


class MachineOptions(NamedTuple):
    """What was asked for.

    Attributes:
      soft: leave the devices as the script names them, and let TensorFlow move what can't be there.
      towers_device: "/cpu:0", "/gpu:1": where every GPU that the script names goes; None: each goes to its own.
      num_devices: over how many devices the script's GPUs are spread; None: as many as it names.
      session: keyword -> value for `legacy_towers.config.session_config`.
      timeout_steps: the number of session runs after which the script ends; None: the script knows.
      report: the file of the report; None: there is none.
    """

    soft: bool = False
    towers_device: Optional[str] = None
    num_devices: Optional[int] = None
    session: Dict[str, Any] = {}
    timeout_steps: Optional[int] = None
    report: Optional[str] = None


class MadeSession(NamedTuple):
    """A session or server that the script made, or had TensorFlow make for it.

    Attributes:
      place: the file and line of the script, None if it can't be told.
      kind: "Session", "InteractiveSession" or "Server".
      target: of a server; empty for this process.
      config: the ConfigProto that it was made with, serialized.
    """

    place: Optional[current.Place]
    kind: str
    target: str
    config: bytes


class Machine:
    """What the rows of this room ask while the script runs; `start` is called once TensorFlow is imported.

    Args:
      options: what was asked for on the command line.
      script_run: the run that it belongs to.
    """

    def __init__(self, options: MachineOptions, script_run: current.ScriptRun) -> None:
        self.options = options
        self.script_run = script_run
        self.made: Counter[MadeSession] = collections.Counter()
        # Makes the session runs, where `bottleneck` watches them: an object with
        # run(call, session, fetches, feed_dict, options, run_metadata, counts).
        self.watch: Any = None
        # Set by `start`: these modules import TensorFlow, and the script imports it first.
        self.devices: Any = None
        self.steps: Any = None
        # The number of CPU devices of the server that this process has; a server is made before any graph.
        self.server_cpus: Optional[int] = None
        self.ending = ending.Ending()
        self._lasting = contextlib.ExitStack()

    def start(self) -> None:
        """Makes the default graphs, and the sessions of TensorFlow's own makers, ours until `stop`."""
        if self.devices is not None:
            return
        from legacy_towers.compat import script_graph, script_session
        from legacy_towers.oldtf.machine import device_map, graphs, sessions, steps

        self.devices = device_map.DeviceMap(self.options, self.script_run.devices)
        self.steps = steps.Steps(self.options.timeout_steps) if self.options.timeout_steps else None
        self._lasting.enter_context(script_graph.default_graphs_are(graphs.Graph))
        self._lasting.enter_context(script_session.managed_sessions_are(sessions.Session))

    def stop(self) -> None:
        """Puts back what `start` exchanged."""
        self.ending.wait()
        self.say_news()
        self._lasting.close()

    def is_own_end(self, error: BaseException) -> bool:
        """Returns whether `error` ends the script by `--timeout-steps`, though it looks like one of TensorFlow."""
        return self.steps is not None and error is self.steps.ending

    def say(self, sentence: str) -> None:
        """Prints one line on standard error."""
        current.say(sentence)

    def say_news(self) -> None:
        """Says what was mapped since it was last said."""
        for sentence in self.devices.news() if self.devices is not None else ():
            self.say(sentence)

    def say_late(self, owner: str, cpus: int, needed: int) -> None:
        """Says that `owner` was made with `cpus` CPU devices before the script named more GPUs than that."""
        self.say(
            "{} was made before the script named its device {} and has {}: what it lacks runs on its /cpu:0; "
            "--num-devices {} gives each its own".format(
                owner, needed - 1, "1 CPU device" if cpus == 1 else "{} CPU devices".format(cpus), needed
            )
        )

    def check_server(self) -> None:
        """Says so if the script has named more devices than its server was made with."""
        needed = self.devices.logical_cpus()
        if self.server_cpus is not None and needed > self.server_cpus:
            self.say_late("the server", self.server_cpus, needed)
            self.server_cpus = None

    def refuse_impossible(self) -> None:
        """Ends the script, with one sentence and exit code 2, if an option asks for what this machine lacks."""
        if self.devices.problem is not None:
            self.say("error: " + self.devices.problem)
            raise SystemExit(2)


def of_running_script() -> Optional[Machine]:
    """Returns the machine of the script that this process runs, None where none runs."""
    run = current.running()
    machine = run.machine if run is not None else None
    if machine is not None:
        machine.start()
    return machine
