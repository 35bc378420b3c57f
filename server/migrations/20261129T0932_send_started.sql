-- When the plan was started: what was sent without approval within a day counts together against the threshold.
alter table send_plan add column started_at timestamptz;
create index send_plan_started on send_plan (company_id, started_at) where started_at is not null and approval_id is null;
