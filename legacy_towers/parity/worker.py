"""Records a job with the TensorFlow of this Python; the only argument is the path of a JSON file with the request."""
import json
import sys

FAILED = 1  # the exit code after a traceback of the job on stderr
EXPLAINED = 2  # the exit code after an error message in one line on stderr


def main() -> int:
    from legacy_towers.errors import UserError
    from legacy_towers.training.job_traceback import print_traceback

    try:
        from legacy_towers.compat import tf
        from legacy_towers.parity.recording import Request, record

        tf.logging.set_verbosity(tf.logging.ERROR)
        with open(sys.argv[1], encoding="utf-8") as source:
            record(Request(**json.load(source)))
    except UserError as error:
        print(error, file=sys.stderr)
        return EXPLAINED
    except Exception as error:
        print_traceback(error)
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
