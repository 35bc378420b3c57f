-- After a restore from a backup, sending and all other jobs are paused until somebody confirms that the old
-- installation is stopped. While the row is there, no server runs jobs.
create table sending_pause (
  id integer primary key check (id = 1),
  restored_at timestamptz not null,
  -- When the end of the pause was requested. The first server that sees it ends the pause.
  confirmed_at timestamptz
);
comment on table sending_pause is 'outside: its one row pauses the jobs of the installation after a restore';

-- Jobs that were not completed at the time of the backup. They are queued again when the pause ends. The payload is
-- encrypted with the installation's key.
create table restored_job (
  id uuid primary key,
  name text not null,
  data jsonb not null,
  start_after timestamptz not null
);
comment on table restored_job is 'outside: pending jobs of a restored backup, for all companies';
