"""The command line, run in this process."""
from legacy_towers.cli.main import main


def command(words):
    """Runs the command line with a string of words, or a list, and returns its exit code, also if argparse exits."""
    try:
        return main(words.split() if isinstance(words, str) else words)
    except SystemExit as ended:
        return ended.code
