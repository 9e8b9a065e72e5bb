import sys

from tests.schemafuzz.run import KIT

if __name__ == "__main__":
    sys.exit(KIT.main())
