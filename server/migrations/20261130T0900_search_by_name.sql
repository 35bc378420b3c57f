-- Owner: binding. A platform that hides names has named somebody when it was asked who is called as a person of the roster.
alter table platform_person drop constraint platform_person_why_check;
alter table platform_person add constraint platform_person_why_check check (why in ('number', 'phone', 'two', 'duplicate', 'department', 'name', 'search'));
alter table binding_event drop constraint binding_event_kind_check;
alter table binding_event add constraint binding_event_kind_check check (kind in
  ('bound', 'restored', 'rotated', 'unbind_applied', 'unbind_kept', 'unbound', 'stopped', 'resumed', 'synced', 'sync_held', 'sync_failed', 'combined', 'searched'));
