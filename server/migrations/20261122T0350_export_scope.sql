-- The departments that whoever asked for an export managed then: it holds nobody else, and is fetched only while they are still his.
-- Exports made before this one hold everybody in their batch.
alter table export_job
  add column scope_all boolean not null default true,
  add column scope_ids uuid[] not null default '{}';
alter table export_job alter column scope_all set default false;
