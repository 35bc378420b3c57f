-- Owners: company (platform_app), binding (platform_install_ask). Whether a platform itself has said that an application is of the company whose key it is bound by (docs/decisions/20261124-whose-key-it-is.md).
alter table platform_app add column proved_at timestamptz;
-- WeCom takes a secret only together with its company's id, and who installed an application of a store was named by the platform.
update platform_app set proved_at = created_at where provider = 'wecom' or mode = 'store';

alter table platform_install_ask drop constraint platform_install_ask_how_check;
alter table platform_install_ask add constraint platform_install_ask_how_check check (how in ('install', 'claim', 'prove'));
-- What is bound once it is proved, sealed: of `prove` alone.
alter table platform_install_ask add column wish bytea;
