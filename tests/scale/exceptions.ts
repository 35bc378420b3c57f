/**
 * Statements that query every node, because the company is not known yet. Each reads one table and has no subquery. The
 * list only shrinks: tests/api/system/scale.test.ts sends each of them and fails for one that is no longer sent. The texts are
 * as PostgreSQL receives them, with normalized white space and value lists.
 */
export type Exception = { readonly sql: string; readonly why: string }

export const exceptions: readonly Exception[] = [
  {
    sql: 'select "id", "key_destroyed_at" from "company" order by "id"',
    why: 'the machine room goes through all companies: after a start, and once a morning',
  },
  {
    sql: 'select "company_id", "status", "left_on", "left_at" from member as "member" where (("account_id" = $ and "status" <> $) or ("former_account" = $ and "status" = $ and "unconfirmed_at" is null))',
    why: 'a sign-in looks for the companies of a person: as an employee, or as one who has left',
  },
  {
    sql: 'select distinct "company_id" from "notification" where "notified_at" is null and "created_at" <= $ and "kind" in ($)',
    why: 'the machine room asks every minute in which companies a notice waits to be told',
  },
  {
    sql: 'select distinct "company_id", "webhook_id" from "webhook_event" where "status" in ($) and (due_at <= $ or due_at > $ or at > $)',
    why: 'every minute the server looks in which companies an event waits for a webhook',
  },
  {
    sql: 'select "company_id" from admin as "admin" where "account_id" = $ and "agency_id" is null and cardinality(power) > 0',
    why: 'a sign-in looks for the companies of a person: as an administrator',
  },
  {
    sql: `select "id", "name", "corp_role", coalesce((company.setting->>'terminated_access_months')::int, $) as "months" from company as "company" where "id" in ($) order by "created_at"`,
    why: 'the few companies of one person, to choose from',
  },
  {
    sql: `select exists (select "id" from "account" where "mobile" = $) as "account", exists (select "id" from member as "member" where "mobile" = $ and (status <> 'left' or (former_account is null and unconfirmed_at is null and coalesce(left_on, left_at::date) > $::date - $::int))) as "member"`,
    why: 'a code is sent to phones that some company knows',
  },
  {
    sql: 'select "name", "mobile", "account_id", "former_account", "status", "left_at", "left_on", "id", "company_id", "former_mobile", "unconfirmed_at" from "member" where ("account_id" = $ or "former_account" = $ or "mobile" = $)',
    why: 'whether a phone has gone to another holder is seen by what all rosters say of it',
  },
  {
    sql: `select "company_id", "id" from "member" where "mobile" = $ and "account_id" is null and "status" <> $ and not (member.unconfirmed_at is not null and coalesce(member.former_mobile, '') = $)`,
    why: 'who has proven his phone joins every roster that names it',
  },
]
