import sys

from legacy_towers.cli.main import main

sys.exit(main())
