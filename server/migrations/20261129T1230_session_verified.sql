-- When the user of a session proved their identity again; null: not since the sign-in.
alter table session add column verified_at timestamptz;
