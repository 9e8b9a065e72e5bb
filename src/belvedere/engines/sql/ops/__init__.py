"""One lowering for each operator of the algebra."""
