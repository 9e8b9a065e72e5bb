"""How a file that cannot be read is reported: its path, the line if there is one, and what is wrong there."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from belvedere.errors import ParseError, UnknownName, suggest


def broken(path: Path, line: int | None, message: str) -> ParseError:
    place = f"{path}, line {line}" if line is not None else str(path)
    error = ParseError(f"{place}: {message}")
    error.line = line
    return error


@contextmanager
def readable(path: Path, kind: str) -> Iterator[None]:
    """Turn what the readers raise for a damaged file into our error."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as e:
        raise broken(path, None, f"the gzip data is damaged or cut off ({e})") from e
    except UnicodeDecodeError as e:
        raise broken(path, None, "the file is not UTF-8 text") from e
    except (pa.ArrowException, OSError) as e:
        raise broken(path, None, f"cannot be read as {kind}: {str(e).splitlines()[0] if str(e) else type(e).__name__}") from e


def existing(path: Path) -> Path:
    """The path, or an error that suggests a near file name."""
    if path.exists():
        return path
    folder = path.parent
    names = [p.name for p in sorted(folder.iterdir())][:200] if folder.is_dir() else []
    raise UnknownName(f"there is no file {path}{suggest(path.name, names)}")
