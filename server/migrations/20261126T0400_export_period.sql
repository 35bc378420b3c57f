-- Owner: slip. Evidence of a period: of all batches that whoever asked could see then, of one person (by all his rows) or of everybody of his.
alter table export_job
  alter column batch_id drop not null,
  add column batch_ids uuid[],
  add column member_ids uuid[],
  add column month_from text,
  add column month_to text,
  add constraint export_job_of check ((batch_id is null) = (batch_ids is not null and month_from is not null and month_to is not null));
