-- Owner: slip. An export of one person's slip only; null: of all in the batch.
alter table export_job add column salary_id uuid;
