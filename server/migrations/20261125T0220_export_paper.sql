-- Owner: slip. How an export is drawn as pages: the size of its paper, and whether in large type; null: it is no PDF, or as usual.
alter table export_job add column paper jsonb;
