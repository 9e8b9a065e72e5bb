"""OQL text → comprehensions → the monoid algebra → our algebra."""
