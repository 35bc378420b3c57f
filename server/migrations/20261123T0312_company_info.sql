-- Owner: company. Sealed: what the company says about itself (tax number, address, whom to ask). The name stands beside it, where messages need it.
alter table company add column info bytea;
-- Counts its changes, so that two administrators do not overwrite each other unseen.
alter table company add column info_revision integer not null default 0;
