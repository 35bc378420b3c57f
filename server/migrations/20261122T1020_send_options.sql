-- Owner: sheet. What step 4 has chosen stays with the batch: whom, how, when and how the slips behave; null until somebody chose anything. No pay
-- stands in it. And who changed the options or the arrangement last, and how often: whoever saves over a change that he has not seen is told.
alter table batch
  add column send_options jsonb,
  add column options_version integer not null default 0,
  add column options_by uuid,
  add column layout_version integer not null default 0,
  add column layout_by uuid;
