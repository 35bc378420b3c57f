/**
 * Concurrent spending from the prepaid balance while connections die: the sums are correct whatever is answered.
 * trust.md S8.
 */
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import * as contract from '../../../server/contract/billing/orders.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { trial } from '../../support/run/trial.ts'
import { startWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const isNotified = ({ code }: { readonly code: number }): boolean => code === 0 || code === errorCodes.sms_used_up.code
/** Retries like a page: a connection that died while idle is detected by its next user. */
async function untilNotified<T extends { readonly code: number }>(call: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    const answer = await call()
    if (isNotified(answer) || attempts === 5) return answer
  }
}

const [each, at_once, bought] = [30, 50, 1_000]
const s8 = { full: 40, sample: 2, of: 'rounds of 50 spends', goal: 'S8' }
trial(
  'pool-kill',
  'loses no debit when connections die during fifty concurrent ones',
  s8,
  async ({ size: rounds, random, says }) => {
    let lost = 0
    const owner = new Client(world.owner)
    await owner.connect()
    const kill = () =>
      owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'xinhan' and state <> 'idle'`,
      )
    for (let round = 0; round < rounds; round += 1) {
      const corp = await world.createCompany({ sms_left: bought })
      const boss = await world.signIn(await corp.person({ power: ['4'] }))
      const spend = (key: string) =>
        boss.call(contract.consumptionPublicBySalaryAdmin, { resource: 'sms', count: each, purpose: '年会通知' }, { key })
      const keys = Array.from({ length: at_once }, (_, at) => `spend-${round}-${at}`)
      const killing = (async () => {
        for (let times = 0; times < 3; times += 1) {
          await new Promise((done) => setTimeout(done, 5 + random.below(40)))
          await kill()
        }
      })()
      const [, ...first] = await Promise.all([killing, ...keys.map(spend)])
      lost += first.filter((one) => !isNotified(one)).length
      // Retried with the same keys: unanswered requests now receive their result, applied once.
      const answers = await Promise.all(keys.map((key) => untilNotified(() => spend(key))))
      const done = answers.filter(({ code }) => code === 0).length
      expect(answers.every(isNotified)).toBe(true)
      expect(done).toBe(Math.floor(bought / each))
      const { rows } = await world.database.inCompany(corp.company_id, (tx) =>
        sql<{ left: number; sum: number; used: number; uneven: number }>`
        select (select sms_left from company where id = ${corp.company_id}) as left,
          (select coalesce(sum(amount), 0)::int from prepaid_entry where company_id = ${corp.company_id}) as sum,
          (select coalesce(sum(amount), 0)::int from prepaid_entry where company_id = ${corp.company_id} and side = 'used') as used,
          (select count(*)::int from (select move_id from prepaid_entry where company_id = ${corp.company_id}
            group by move_id having sum(amount) <> 0 or count(*) <> 2) as uneven) as uneven`.execute(tx),
      )
      expect(rows).toEqual([{ left: bought - done * each, sum: 0, used: done * each, uneven: 0 }])
    }
    await owner.end()
    says(`${lost} answers lost`)
    expect(lost).toBeGreaterThan(0)
  },
)
