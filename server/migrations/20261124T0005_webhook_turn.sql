-- Whoever tells this address holds it until then: one turn at a time each, so that a slow one keeps no other waiting.
alter table webhook add column turn_until timestamptz;
