-- Owner: slip. How many messages went through the chat platform today, asked before more are sent.
create index delivery_platform_day on delivery (company_id, done_at) where channel = 'platform' and done_at is not null;
-- Owner: post.
create index message_platform_day on message (company_id, done_at) where channel = 'platform' and done_at is not null;
