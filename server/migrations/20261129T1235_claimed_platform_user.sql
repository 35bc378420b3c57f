-- A platform user who is matched to one member has proven the phone of another one: an administrator decides.
alter table platform_user
  drop constraint platform_user_why_check,
  add constraint platform_user_why_check check (match_reason = ANY (ARRAY['number'::text, 'phone'::text, 'two'::text, 'duplicate'::text, 'department'::text, 'name'::text, 'search'::text, 'claimed'::text]));
