-- A code that rang a phone and was never used proves that phone for a day, two of them together: `rang_at` is when it left the house, null
-- once it was used or when nothing was sent. `pair` marks a question that is answered by two such codes (docs/decisions/20261122-what-rang-is-the-proof.md).
alter table challenge add column rang_at timestamptz;
alter table challenge add column pair boolean not null default false;
