-- Why a slip was withdrawn or corrected, which column it was, and why an application was turned down say something about somebody's pay: from
-- here on they are sealed like the pay itself. Only the application holds the keys, so what is there already keeps its bytes as they are, and
-- is read as the text that it is (`Vault.openText`); no release has been made with such rows. Writers as before.
alter table salary alter column withdrawn_reason type bytea using convert_to(withdrawn_reason, 'UTF8');
alter table batch alter column withdrawn_reason type bytea using convert_to(withdrawn_reason, 'UTF8');
alter table salary_change
  alter column reason type bytea using convert_to(reason, 'UTF8'),
  alter column column_label type bytea using convert_to(column_label, 'UTF8');
alter table approval
  alter column reason drop default,
  alter column reason type bytea using convert_to(reason, 'UTF8'),
  alter column reason set default ''::bytea;
