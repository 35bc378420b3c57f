-- People whose slips somebody must have looked at before a plan is sent (rows and why), and who says that he has.
alter table plan
  add column looks jsonb not null default '[]',
  add column looked_by uuid,
  add column looked_at timestamptz;
