import sys

from tests.mutants.run import main

if __name__ == "__main__":
    sys.exit(main())
