"""Records a job with the TensorFlow of the Python that runs this; the only argument is a file with the request."""
import json
import sys

FAILED = 1  # the exit code after the job's own traceback on stderr
EXPLAINED = 2  # the exit code after one sentence on stderr


def main() -> int:
    from legacy_towers.errors import UserError
    from legacy_towers.job_traceback import print_traceback

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
