-- People without a phone of their own (cleaners, seniors, a couple with one phone) are on the roster, too. An empty phone is nobody's.
drop index member_mobile;
create unique index member_mobile on member (company_id, mobile) where status <> 'left' and mobile <> '';
