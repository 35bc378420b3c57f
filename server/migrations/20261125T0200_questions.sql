-- Owner: slip. A question is about a whole slip or one line of it, is somebody's to answer, and is due on a day; pictures come with what is said.
-- `line`: the key of a column (c4), '' the whole slip. Its name as the person saw it is sealed.
alter table feedback add column line text not null default '' check (line ~ '^(c[0-9]{1,4})?$');
alter table feedback add column line_label bytea;
-- Whoever was told off to answer; null: the owner of the batch.
alter table feedback add column owner_id uuid;
-- The end of the day by which it is answered; null: answered, or the company sets no time.
alter table feedback add column due_at timestamptz;
alter table feedback drop constraint feedback_company_id_salary_id_key;
alter table feedback add constraint feedback_of_line unique (company_id, salary_id, line);
alter table feedback add constraint feedback_owner foreign key (company_id, owner_id) references admin (company_id, id);
create index feedback_due on feedback (company_id, due_at) where due_at is not null;

-- Beside the flag: the first day that one of its open questions is due, for lists and the home page.
alter table salary add column answer_due timestamptz;

-- Drawn anew, sealed; read by the two sides of the thread only, and gone with it.
create table feedback_picture (
  company_id uuid not null,
  id uuid not null,
  feedback_id uuid not null,
  message_id uuid not null,
  picture bytea not null,
  primary key (company_id, id),
  foreign key (company_id, feedback_id) references feedback (company_id, id) on delete cascade,
  foreign key (company_id, message_id) references feedback_message (company_id, id) on delete cascade
);
create index feedback_picture_of on feedback_picture (company_id, feedback_id, message_id, id);
alter table feedback_picture enable row level security;
alter table feedback_picture force row level security;
create policy one_company on feedback_picture using (company_id = nullif(current_setting('app.company', true), '')::uuid);
