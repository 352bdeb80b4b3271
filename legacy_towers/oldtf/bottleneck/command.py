"""Watches a script from its begin to its end, and then says what was seen."""
import contextlib
from typing import Any, Iterator, Optional

from legacy_towers.oldtf.current import ScriptRun
from legacy_towers.whole_file import write_whole


@contextlib.contextmanager
def watching(script_run: ScriptRun, warm_up: int, json_path: Optional[str], out: Any) -> Iterator[None]:
    """Watches `script_run` while it lasts, and prints the figures at its end.

    Args:
      script_run: the run, with its machine.
      warm_up: how many steps are left out.
      json_path: where the figures are written too; None writes none.
      out: where the text goes.
    """
    from legacy_towers.oldtf.bottleneck import figures, stacks, watch, words

    watcher = script_run.machine.watch = watch.Watch()
    sampler = stacks.StackSampler(lambda: bool(watcher.runs) and not watcher.is_running, script_run.owns)
    with sampler:
        yield
    print(file=out)
    try:
        found = figures.of_runs(watcher.runs, warm_up)
    except ValueError as error:
        print("legacy-towers: {} ({} session runs were seen; --warm-up {} leaves out the first): nothing can be told{}"
              .format(error, len(watcher.runs), warm_up, "" if json_path is None else ", or written"), file=out)
        return
    hottest = words.hottest_lines(sampler.lines)
    print(words.as_text(found, hottest), file=out)
    if json_path is not None:
        write_whole(json_path, words.json_text(found, hottest) + "\n", "the figures")
