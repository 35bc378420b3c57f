-- Owner: company. Its mark for the bar, a small PNG drawn anew by the server; null is ours.
alter table company add column logo bytea;
