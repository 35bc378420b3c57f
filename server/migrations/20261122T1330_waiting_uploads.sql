-- Owner: sheet. An upload outlives the page that began it: its file waits here until it has become a batch, and whoever comes back (the page was
-- loaded anew, the server started anew) goes on with it. `held_until`: until then somebody is at work on it. `batch_id`: whose sheet it replaces,
-- or, when it is done, what it became.
alter table upload_progress
  add column file_id uuid,
  add column batch_id uuid,
  add column held_until timestamptz,
  drop constraint upload_progress_stage_check,
  add constraint upload_progress_stage_check check (stage in ('waiting', 'reading', 'keeping', 'done', 'refused')),
  add foreign key (company_id, file_id) references file (company_id, id) on delete set null (file_id),
  add foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade;
create index upload_progress_batch on upload_progress (company_id, batch_id) where batch_id is not null;
