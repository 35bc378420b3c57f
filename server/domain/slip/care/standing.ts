/** On remind days: how many have not looked, to the people whom the company chose. Counts, never amounts, never names of the paid. */
import { type RawBuilder, sql } from 'kysely'
import type { Saying } from '../../../contract/words/messages.ts'
import { dayOf } from '../../../runtime/clock.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import { type CountPieces, Refusal } from '../../../runtime/handle.ts'
import { idOf } from '../../../runtime/ids.ts'
import type { Jobs } from '../../../runtime/jobs.ts'
import type { Secrets, Vault } from '../../../runtime/secrets.ts'
import { type Setting, takeSms } from '../../company/index.ts'
import { notify, tell } from '../../desk/index.ts'
import { calledOf } from '../../sheet/index.ts'
import { type Standing, standingParams, standingText } from '../rules/care.ts'

type About = {
  readonly database: Database
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly pieces: CountPieces
  readonly company_id: string
  readonly now: Date
  readonly setting: Setting
  /** A condition on `salary`: batches with such slips are told about. */
  readonly due: RawBuilder<boolean>
}
type Line = Standing & { readonly batch_id: string; readonly owner_id: string }

export async function tellStanding({ database, jobs, secrets, pieces, company_id, now, setting, due }: About): Promise<void> {
  const { vault, lines } = await database.inCompany(
    company_id,
    async (tx) => {
      const opened = await secrets.vault(tx, company_id)
      return { vault: opened, lines: await linesOf(tx, opened, company_id, due) }
    },
    { timeout_ms: 30_000 },
  )
  if (lines.length === 0) return
  const { remind_members, weChat, sms } = setting.send_rule
  for (const { member_id } of remind_members) {
    const id = idOf('standing', company_id, member_id, dayOf(now))
    const toOne = async (tx: Tx) => {
      const ctx = { db: tx, company_id, now, vault, jobs: jobsOf(jobs, tx) }
      const person = await personOf(tx, company_id, member_id)
      if (!person) return
      const text = standingText(lines)
      if (person.admin_id) {
        const [only] = lines.length === 1 ? lines : []
        const mayOpen = only && (person.power?.includes('4') || only.owner_id === person.admin_id)
        return notify(ctx, person.admin_id, { id, kind: 'unviewed', text, batch_id: mayOpen ? only.batch_id : null })
      }
      const saying: Saying = { kind: 'standing', params: { corp: person.corp_name, ...standingParams(lines) } }
      if (weChat && person.platform_user_id) return tell(ctx, { id, channel: 'platform', to: person.platform_user_id, ...saying })
      if (!sms || !person.mobile) return
      await takeSms(ctx, pieces(saying), 'standing', id)
      return tell(ctx, { id, channel: 'sms', to: person.mobile, ...saying })
    }
    try {
      await database.inCompany(company_id, toOne)
    } catch (error) {
      // Without messages left it is not told; the owner hears of that with the reminders.
      if (!(error instanceof Refusal && error.refusal === 'sms_used_up')) throw error
    }
  }
}

const jobsOf = (jobs: Jobs, tx: Tx) => ({
  send: (...[name, data, options]: Parameters<Jobs['send']> extends [Tx, ...infer Rest] ? Rest : never) =>
    jobs.send(tx, name, data, options),
})

async function linesOf(tx: Tx, vault: Vault, company_id: string, due: RawBuilder<boolean>): Promise<Line[]> {
  const { rows } = await sql<Omit<Line, 'title'> & Parameters<typeof calledOf>[1]>`
    select batch.id, batch.id as batch_id, batch.owner_id, batch.title_id, title.name as title, batch.file_name,
      (count(*) filter (where salary.status = 'sent'))::int as unviewed,
      (count(*) filter (where coalesce((batch.rules ->> 'confirm')::boolean, false)))::int as unconfirmed
    from batch
    join salary on salary.company_id = batch.company_id and salary.batch_id = batch.id and salary.status in ('sent', 'viewed')
    left join title on title.company_id = batch.company_id and title.id = batch.title_id
    where batch.company_id = ${company_id} and batch.status in ('sending', 'sent')
    group by batch.company_id, batch.id, title.name
    having bool_or(${due}) and (bool_or(salary.status = 'sent') or bool_or(coalesce((batch.rules ->> 'confirm')::boolean, false)))
    order by batch.created_at desc, batch.id`.execute(tx)
  return rows.map((row) => ({ ...row, title: calledOf(vault, row) }))
}

type Chosen = {
  readonly mobile: string
  /** Null also where the company is not bound to a platform. */
  readonly platform_user_id: string | null
  readonly corp_name: string
  readonly admin_id: string | null
  readonly power: string[] | null
}
async function personOf(tx: Tx, company_id: string, member_id: string): Promise<Chosen | null> {
  const { rows } = await sql<Chosen>`
    select member.mobile, case when company.provider is not null then member.platform_user_id end as platform_user_id,
      company.name as corp_name, admin.id as admin_id, admin.power
    from member
    join company on company.id = member.company_id
    left join admin on admin.company_id = member.company_id and admin.member_id = member.id and cardinality(admin.power) > 0
    where member.company_id = ${company_id} and member.id = ${member_id} and member.status <> 'left'`.execute(tx)
  return rows[0] ?? null
}
