-- An answered question no longer waits for the company; the person sees that there is an answer he has not read.
alter table feedback drop constraint feedback_status_check;
alter table feedback add constraint feedback_status_check check (status in ('open', 'answered', 'resolved'));
alter table feedback add column answered_at timestamptz;
alter table feedback add column read_at timestamptz;
