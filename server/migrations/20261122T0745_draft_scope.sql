-- Owner: sheet. The scope of whoever brought the sheet: a draft has no slips yet that would say whom it is about, so it is shown as a whole to
-- whoever keeps at least as much today. What is there takes the scope that its owner has now.
alter table batch
  add column scope_all boolean not null default false,
  add column scope_ids uuid[] not null default '{}';
update batch set
  scope_all = admin.scope_all or '4' = any(admin.power),
  scope_ids = array(select department_id from admin_department as own where own.company_id = admin.company_id and own.admin_id = admin.id)
from admin where admin.company_id = batch.company_id and admin.id = batch.owner_id;
