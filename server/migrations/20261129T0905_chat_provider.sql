-- The chat providers, listed once in the database instead of in the check of every column that names one. A new
-- provider needs a migration that inserts its name; a provider that a row names cannot be removed.
create table chat_provider (
  name text primary key
);
comment on table chat_provider is 'outside: the chat providers that the program has adapters for';
revoke insert, update, delete on chat_provider from public;
do $$ begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke insert, update, delete on chat_provider from xinhan_app;
  end if;
end $$;
insert into chat_provider (name) values ('lark'), ('wecom'), ('dingtalk');

alter table company
  drop constraint company_provider_check, add foreign key (provider) references chat_provider (name);
alter table platform_suite
  drop constraint platform_suite_provider_check, add foreign key (provider) references chat_provider (name);
alter table platform_install
  drop constraint platform_install_provider_check, add foreign key (provider) references chat_provider (name);
alter table platform_install_request
  drop constraint platform_install_request_provider_check, add foreign key (provider) references chat_provider (name);
alter table platform_app
  drop constraint platform_app_provider_check, add foreign key (provider) references chat_provider (name);
alter table binding
  drop constraint binding_provider_check, add foreign key (provider) references chat_provider (name);
