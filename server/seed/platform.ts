/** The first demo company's application on the simulated Lark. Some of its people have signed in through it before, two have not. */
import type { Database } from '../runtime/db.ts'
import type { Secrets } from '../runtime/secrets.ts'
import { chanceOf } from './chance.ts'
import { type Company, epoch, type Staff } from './staff.ts'

type DemoPerson = {
  readonly provider: 'lark'
  readonly corp_id: string
  readonly user_id: string
  readonly name: string
  readonly mobile: string
  readonly about: string
  /** Whom he is joined to; null for who comes for the first time. */
  readonly account_id: string | null
}
export type DemoPlatform = {
  readonly app: {
    readonly id: string
    readonly provider: 'lark'
    readonly corp_id: string
    readonly app_id: string
    readonly agent_id: string
    readonly secret: string
  }
  readonly people: readonly DemoPerson[]
}

const corp_id = 'tenant_yunshan_demo'
/** Places in the roster: two employees who have been here, two who come for the first time. */
const known_at = [8, 9]
const new_at = [12, 13]

export function platformOf(company: Company): DemoPlatform {
  const person = (one: Staff, about: string, known: boolean): DemoPerson => ({
    provider: 'lark',
    corp_id,
    user_id: one.platform_user_id ?? `ou_${one.id.replaceAll('-', '')}`,
    name: one.name,
    mobile: one.mobile,
    about: `${about} · ${known ? '已关联手机号' : '第一次从飞书登录，会请您验证手机号'}`,
    account_id: known ? one.account_id : null,
  })
  const staff = (places: readonly number[], known: boolean) =>
    company.staff.filter((one) => places.includes(one.at)).map((one) => person(one, `员工 ${one.mobile}`, known))
  const admins = company.admins.map(({ staff: one }, at) => person(one, company.plan.admins[at]?.who ?? '', true))
  return {
    app: {
      id: chanceOf(97).id(epoch),
      provider: 'lark',
      corp_id,
      app_id: 'cli_demo0000000001',
      agent_id: '',
      // No secret: the platform it opens is the demo's own.
      secret: 'the demo keeps no secrets',
    },
    people: [...admins, ...staff(known_at, true), ...staff(new_at, false)],
  }
}

export async function writePlatform(
  database: Database,
  secrets: Secrets,
  company_id: string,
  { app, people }: DemoPlatform,
): Promise<void> {
  await database.inCompany(company_id, async (tx) => {
    const vault = await secrets.vault(tx, company_id)
    const secret = vault.seal({ table: 'platform_app', row: app.id, column: 'secret' }, app.secret)
    await tx
      .insertInto('platform_app')
      .values({ ...app, company_id, secret, created_at: epoch })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
  await database.inCompany(company_id, async (tx) => {
    const { id, provider, corp_id: corp } = app
    await tx
      .insertInto('binding')
      .values({
        company_id,
        id,
        provider,
        corp_id: corp,
        corp_name: '云杉科技',
        mode: 'self_built',
        app_id: id,
        status: 10,
        checked_at: epoch,
        bound_at: epoch,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await tx
      .insertInto('binding_event')
      .values({ company_id, id, binding_id: id, at: epoch, kind: 'bound', by_name: '沈知遥' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
  const joined = people.flatMap(({ provider, corp_id: corp, user_id, account_id }) =>
    account_id ? [{ provider, corp_id: corp, user_id, account_id, created_at: epoch }] : [],
  )
  await database.outside((tx) =>
    tx
      .insertInto('platform_identity')
      .values(joined)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
}
