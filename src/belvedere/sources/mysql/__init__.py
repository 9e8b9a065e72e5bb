"""MariaDB and MySQL as sources: which entries of a log were read is kept entry by entry, so late commits are not missed."""

from belvedere.sources.mysql.source import MySQLSource

__all__ = ["MySQLSource"]
