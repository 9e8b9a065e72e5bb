import sys

from tests.lorelfuzz.run import KIT

if __name__ == "__main__":
    sys.exit(KIT.main())
