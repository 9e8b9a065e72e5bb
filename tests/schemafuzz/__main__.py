import sys

from tests.schemafuzz.run import main

if __name__ == "__main__":
    sys.exit(main())
