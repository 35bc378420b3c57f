-- What an event is about, besides its payslip and batch. Numbers and external ids are read when the event is delivered.
alter table webhook_event add column member_id uuid;
alter table webhook_event add column feedback_id uuid;

-- When every payslip of the batch last had an outcome: reminders that are sent later do not finish it again.
alter table batch add column finished_at timestamptz;
