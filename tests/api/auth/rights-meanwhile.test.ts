/**
 * Revoking a right during an action based on it. Either the action comes first and the revocation waits for it, or the
 * revocation comes first and the action is not done. After the revocation has been answered, nothing more happens on
 * behalf of that user.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import * as role from '../../../server/contract/access/administrators.ts'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { scopeToCompany, type Tx } from '../../../server/database/database.ts'
import { endSessions } from '../../../server/http/sessions.ts'
import { demo } from '../../support/demo.ts'
import { lockWaiters } from '../../support/run/database.ts'
import { makeBatch, salaries, send } from '../../support/slips.ts'
import type { Answer } from '../../support/world.ts'

const { world, corp, clerk, payroll } = demo()

type Trial = {
  /** An action based on a right, stopped halfway by a lock until `stop` is released. */
  readonly mutate: () => Promise<Answer<unknown>>
  readonly isDone: () => Promise<boolean>
  /** Locks a row that the action reaches after the access check. */
  readonly stop: (tx: Tx) => Promise<unknown>
  /** Revokes the right with a call. */
  readonly take: () => Promise<unknown>
  /** Revokes the right without committing yet. */
  readonly taking: (tx: Tx) => Promise<unknown>
}

const setting = (tx: Tx) =>
  tx.selectFrom('company').select('setting').where('id', '=', corp.company_id).forUpdate().executeTakeFirstOrThrow()
const feedbackOn = async (): Promise<unknown> => (await world.database.inCompany(corp.company_id, setting)).setting

/** A payroll administrator who changes how feedback is answered. */
async function whoSets() {
  const person = await corp.person({ power: ['2'] })
  const own = await world.signIn(person)
  const before = JSON.stringify(await feedbackOn())
  const status = before.includes('"feedback":false')
  return {
    person,
    mutate: () => own.call(slip.setFeedback, { status }),
    isDone: async () => JSON.stringify(await feedbackOn()) !== before,
    stop: setting,
  }
}

const trials: readonly (readonly [string, () => Promise<Trial>])[] = [
  [
    'a revoked power',
    async () => {
      const { person, ...setting_is_changed } = await whoSets()
      const head = await world.signIn(await corp.person({ power: ['4'] }))
      const user_id = person.admin_id ?? ''
      return {
        ...setting_is_changed,
        take: () => head.must(role.clearRole, { user_id, power: '2' }),
        taking: (tx) => tx.updateTable('admin').set({ power: [] }).where('id', '=', user_id).execute(),
      }
    },
  ],
  [
    'a session ended from another device',
    async () => {
      const { person, ...setting_is_changed } = await whoSets()
      const { account_id } = person
      const { id } = await world.database.withoutCompany((tx) =>
        tx.selectFrom('session').select('id').where('account_id', '=', account_id).executeTakeFirstOrThrow(),
      )
      const other = await world.signIn(person)
      return {
        ...setting_is_changed,
        take: () => other.must(profile.endSession, { session_id: id }),
        taking: (tx) => endSessions(tx, { session_id: id }, 'device'),
      }
    },
  ],
  [
    'an employee who is terminated',
    async () => {
      const person = await corp.person()
      const batch_id = await makeBatch(world, clerk, [person])
      await send(payroll, batch_id, ['link'])
      await world.product.jobs.drain()
      const [paid] = await salaries(world, corp, batch_id)
      const slip_id = paid?.id ?? ''
      const own = await world.signIn(person)
      const keeper = await world.signIn(await corp.person({ power: ['3'] }))
      const { version, hash } = await own.must(employee.getSlip, { slip_id })
      const row = (tx: Tx) => tx.selectFrom('payslip').select('confirmed_at').where('id', '=', slip_id)
      return {
        mutate: () => own.call(employee.confirmSlip, { slip_id, version, hash }),
        isDone: async () =>
          (await world.database.inCompany(corp.company_id, (tx) => row(tx).executeTakeFirstOrThrow())).confirmed_at !== null,
        stop: (tx) => row(tx).forUpdate().execute(),
        take: () => keeper.must(member.clearMember, { id: person.member_id }),
        taking: async (tx) => {
          const him = tx.selectFrom('member').select('id').where('id', '=', person.member_id)
          await him.forUpdate().execute()
          const left = {
            status: 'left',
            account_id: null,
            former_account: person.account_id,
            left_at: world.clock.now(),
          } as const
          await tx.updateTable('member').set(left).where('id', '=', person.member_id).execute()
        },
      }
    },
  ],
]

/** Waits until this number of transactions wait for a lock, or something else has happened. */
async function waiting(count: number, instead: () => boolean): Promise<void> {
  while ((await lockWaiters(world.database)) < count && !instead()) await sleep(5)
}

/** Opens a transaction until the returned function is called. */
async function hold(work: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
  const started = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const full = world.database.inCompany(corp.company_id, async (tx) => {
    await work(tx)
    started.resolve()
    await end.promise
  })
  await Promise.race([started.promise, full])
  return async () => {
    end.resolve()
    await full
  }
}

describe.each(trials)('%s', (_, made) => {
  it('waits for an action in progress when access is removed, and allows nothing after the response', async () => {
    const { mutate, isDone, stop, take } = await made()
    const letGo = await hold(stop)
    let [isAnswered, isAccepted, wasAccepted] = [false, false, false]
    const answer = mutate().finally(() => (isAnswered = true))
    await waiting(1, () => isAnswered)
    const accepted = take().finally(() => (isAccepted = true))
    await waiting(2, () => isAccepted)
    wasAccepted = isAccepted
    await letGo()
    const { code } = await answer
    await accepted
    expect({ wasAccepted, done: await isDone(), code }).toEqual({ wasAccepted: false, done: true, code: 0 })
  })

  it('performs nothing if access is removed after the authorization but before the action starts', async () => {
    const { mutate, isDone, stop, taking } = await made()
    const letGo = await hold(async (tx) => {
      await taking(tx)
      await stop(tx)
    })
    let isAnswered = false
    const answer = mutate().finally(() => (isAnswered = true))
    await waiting(1, () => isAnswered)
    await letGo()
    const { code } = await answer
    expect({ refused: code !== 0, done: await isDone() }).toEqual({ refused: true, done: false })
  })
})

describe('transaction without a company', () => {
  it('a transaction without a company sees only the company to which it is narrowed', async () => {
    const neighbour = await world.createCompany()
    const companies = (tx: Tx) => tx.selectFrom('company').select('id').execute()
    await world.database.withoutCompany(async (tx) => {
      expect(await companies(tx)).toEqual([])
      await scopeToCompany(tx, corp.company_id)
      expect(await companies(tx)).toEqual([{ id: corp.company_id }])
      await scopeToCompany(tx, neighbour.company_id)
      expect(await companies(tx)).toEqual([{ id: neighbour.company_id }])
    })
    // The next user of the connection starts without a company.
    expect(await world.database.withoutCompany(companies)).toEqual([])
  })

  it('a transaction without a company is narrowed by ids only', async () => {
    const wrong = world.database.withoutCompany((tx) => scopeToCompany(tx, "x'; reset role; --"))
    await expect(wrong).rejects.toThrow(TypeError)
  })
})
