-- Who has looked at somebody's deductions and insurance bases stands in his file, as who has looked at his identity card.
alter table member_event drop constraint member_event_kind_check;
alter table member_event add constraint member_event_kind_check check (kind in ('changed', 'left', 'looked', 'looked_tax', 'undone'));
