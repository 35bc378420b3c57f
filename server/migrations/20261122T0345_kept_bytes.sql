-- Owner: sheet. What the rows of a batch take, sealed: a small file may become many rows, and room is for what is kept.
alter table batch add column kept_bytes bigint not null default 0;
