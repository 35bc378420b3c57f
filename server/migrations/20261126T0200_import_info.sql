-- What is told of an import whenever somebody looks how far it is: sealed, a few lines, so that nobody opens twenty thousand rows for it.
alter table member_import add column info bytea;
