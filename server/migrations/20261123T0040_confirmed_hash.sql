-- Owner: pay (written by slip). Sealed: the hash of exactly what was shown when the slip was confirmed (docs/slip-form.md).
alter table salary add column confirmed_hash bytea;
