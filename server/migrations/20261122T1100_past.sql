-- Owner: slip. What happened to a slip before it was corrected or sent once more: when it was seen, confirmed and withdrawn, a version a line. The
-- columns beside it are of the present version; the story of the slip tells both. Reasons stay sealed with the batch.
alter table salary add column past jsonb not null default '[]';
