-- Files made of something: the sheet of a batch with its problems. Owner: runtime.

alter table file
  -- What it was made of. Whoever may no longer see that may no longer fetch the file.
  add column of_id uuid;
