"""The grammar of OQL for lark (LALR). Its words come from lexer.py, which tells keywords from names."""

from __future__ import annotations

GRAMMAR = r"""
program: (definition SEMICOLON)* definition?
       | (definition SEMICOLON)* query SEMICOLON?
?definition: DEFINE ID parameters? AS? query -> define
           | UNDEFINE ID                     -> undefine
parameters: LPAR (TYPE ID (COMMA TYPE ID)*)? RPAR

?query: select | expr
select: SELECT DISTINCT? projection FROM iterators where? group? order?
projection: STAR -> everything
          | item (COMMA item)*
item: ID COLON expr -> labelled
    | expr          -> unlabelled
    | expr AS? ID   -> named
iterators: iterator (COMMA iterator)*
iterator: ID IN expr  -> ranging
        | expr        -> anonymous
        | expr AS? ID -> aliased
where: WHERE expr
group: GROUP BY field (COMMA field)* having?
having: HAVING expr
order: ORDER BY key (COMMA key)*
key: expr DIRECTION?

?expr: LPAR TYPE RPAR expr -> cast
     | or_
?or_: and_ | or_ OR and_ -> binary
?and_: quant | and_ AND quant -> binary
?quant: FOR ALL ID IN expr COLON quant -> for_all
      | EXISTS ID IN expr COLON quant  -> exists
      | eq
?eq: rel
   | eq EQ rel            -> binary
   | eq LIKE rel          -> binary
   | eq EQ QUANTIFIER rel -> compared
?rel: add
    | rel REL add            -> binary
    | rel REL QUANTIFIER add -> compared
?add: mul | add (PLUS | MINUS | ADDOP) mul -> binary
?mul: in_ | mul (STAR | MULOP) in_ -> binary
?in_: unary | unary IN unary -> binary
?unary: postfix | (PLUS | MINUS | PREFIX) unary -> unary
?postfix: prim
        | postfix LSQB expr RSQB            -> index
        | postfix LSQB expr COLON expr RSQB -> slice
        | postfix DOT ID                    -> path
        | postfix DOT ID arguments          -> path
?prim: FUNCTION LPAR query RPAR   -> function
     | COUNT LPAR query RPAR      -> function
     | COUNT LPAR STAR RPAR       -> count_all
     | STRUCT LPAR fields RPAR    -> struct
     | ID LPAR fields RPAR        -> new
     | COLLECTION LPAR (query (COMMA query)*)? RPAR -> collection
     | ID                         -> name
     | ID arguments               -> name
     | PARAMETER                  -> parameter
     | LPAR query RPAR            -> group_
     | (NIL | UNDEFINED | TRUE | FALSE | INT | FLOAT | STRING | CHAR) -> literal
     | TEMPORAL (STRING | CHAR)   -> temporal
arguments: LPAR (query (COMMA query)*)? RPAR
fields: field (COMMA field)*
field: ID COLON expr

%declare DEFINE UNDEFINE AS SELECT DISTINCT FROM WHERE GROUP BY HAVING ORDER DIRECTION FOR ALL EXISTS IN OR AND EQ LIKE REL
%declare QUANTIFIER PLUS MINUS ADDOP STAR MULOP PREFIX LSQB RSQB COLON DOT FUNCTION COUNT STRUCT COLLECTION ID PARAMETER
%declare LPAR RPAR NIL UNDEFINED TRUE FALSE INT FLOAT STRING CHAR TEMPORAL COMMA SEMICOLON TYPE
"""

#: how a person calls what the grammar expects
SHOWN: dict[str, str] = {
    "DEFINE": "define", "UNDEFINE": "undefine", "AS": "as", "SELECT": "select", "DISTINCT": "distinct", "FROM": "from",
    "WHERE": "where", "GROUP": "group by", "BY": "by", "HAVING": "having", "ORDER": "order by", "DIRECTION": "asc or desc",
    "FOR": "for all", "ALL": "all", "EXISTS": "exists", "IN": "in", "OR": "or", "AND": "and", "EQ": "=", "LIKE": "like",
    "REL": "<", "QUANTIFIER": "any", "PLUS": "+", "MINUS": "-", "ADDOP": "union", "STAR": "*", "MULOP": "/", "PREFIX": "not",
    "LSQB": "[", "RSQB": "]", "COLON": ":", "DOT": ".", "ID": "a name", "LPAR": "(", "RPAR": ")", "COMMA": ",", "SEMICOLON": ";",
    "TYPE": "a type", "$END": "the end",
}  # fmt: skip
#: what begins an expression, said in one word
OPERANDS = frozenset({
    "FUNCTION", "COUNT", "STRUCT", "COLLECTION", "ID", "PARAMETER", "LPAR", "NIL", "UNDEFINED", "TRUE", "FALSE", "INT", "FLOAT",
    "STRING", "CHAR", "TEMPORAL", "PLUS", "MINUS", "PREFIX",
})  # fmt: skip
