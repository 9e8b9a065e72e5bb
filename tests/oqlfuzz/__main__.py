import sys

from tests.oqlfuzz.run import KIT

if __name__ == "__main__":
    sys.exit(KIT.main())
