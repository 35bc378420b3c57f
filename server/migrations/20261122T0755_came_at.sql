-- Owner: account. When somebody came in last: a number that nobody has used for as long as carriers keep it back may be somebody else's now.
-- Null: not known, which is no doubt. Whoever is here already begins to count today.
alter table account add column came_at timestamptz;
update account set came_at = now();
