"""Is there a Java that can run Spark? Asked before Spark is, because Spark's own answer is a page long."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

PACKAGE = "openjdk-17-jre-headless"
OLDEST = 17


def java_problem() -> str | None:
    """None if Spark can start; otherwise what is missing and how to mend it."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None or not Path(java).exists():
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "no java on the PATH"
        return f"Spark needs Java {OLDEST}: {where}. Install the package {PACKAGE}."
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    except OSError as e:
        return f"Spark needs Java {OLDEST}: {java} does not run ({e.strerror}). Install the package {PACKAGE}."
    version = major_version(answer.stderr + answer.stdout)
    if version is None or version < OLDEST:
        return f"Spark needs Java {OLDEST}: {java} is {version or 'of an unknown version'}. Install the package {PACKAGE}."
    return None


def major_version(text: str) -> int | None:
    """The major version in what `java -version` prints.

    >>> major_version('openjdk version "17.0.15" 2025-04-15'), major_version('java version "1.8.0_392"'), major_version("?")
    (17, 8, None)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else None
