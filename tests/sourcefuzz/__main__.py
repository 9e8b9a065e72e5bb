import sys

from tests.sourcefuzz.run import KIT

if __name__ == "__main__":
    sys.exit(KIT.main())
