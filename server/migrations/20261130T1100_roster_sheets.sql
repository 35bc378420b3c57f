-- Owners: member (member_import). Which sheets of its file an import has read, and which look like lists of staff as well: sealed, a few lines.
alter table member_import add column sheets bytea;
