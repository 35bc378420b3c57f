/** Attacks on roles: I6 (forbidden calls) and I9 (rights that outlive their revocation) of trust.md. */
import { describe, expect, it } from 'vitest'
import * as role from '../../../server/contract/access/administrators.ts'
import type { Power } from '../../../server/contract/access.ts'
import * as approval from '../../../server/contract/approvals/approvals.ts'
import type { Call, CallRequest } from '../../../server/contract/call.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demo } from '../../support/demo.ts'
import { trial } from '../../support/run/trial.ts'
import { type Caller, type Person } from '../../support/world.ts'

const { world, corp } = demo()

const { not_permitted, not_found, signed_out } = errorCodes
const all = { all: true, department_ids: [] }

describe('I6: privilege escalation', () => {
  it('rejects all role calls by member or payroll administrators, for themselves and for others, and changes nothing', async () => {
    const team = await corp.department('小组')
    const limited = { all: false, department_ids: [team] }
    const head = await corp.person({ power: ['4'] })
    const target = await corp.person()
    const persons: Person[] = []
    for (const power of [['2'], ['3'], ['2', '3']] as Power[][]) persons.push(await corp.person({ power, scope: limited }))
    persons.push(await corp.person())
    const rights = () =>
      world.database.inCompany(corp.company_id, async (tx) => [
        await tx.selectFrom('admin').selectAll().orderBy('id').execute(),
        await tx.selectFrom('admin_department').selectAll().orderBy('id').execute(),
      ])
    const before = await rights()
    let requested = 0
    for (const me of persons) {
      const caller = await world.signIn(me)
      for (const whom of [me, target, head]) {
        const user_id = whom.admin_id ?? head.admin_id ?? ''
        const attempts: [Call, CallRequest<Call>][] = [
          [role.addAmin, { member_ids: [whom.member_id], power: ['1', '2', '3'], scope: all }],
          [role.insertRole, { member_id: whom.member_id, power: ['1'], scope: all }],
          [role.insertRole, { member_id: whom.member_id, power: ['4'], scope: all }],
          // Extends the caller's own scope to everything.
          [role.editUserScope, { user_id, scope: all }],
          [role.clearRole, { user_id, power: '4' }],
          [role.clearRole, { user_id, power: '2' }],
          [role.clearHrManager, { user_id }],
          [role.endUserSessions, { user_id }],
          [role.getUserList, {}],
          [role.getRoleMemberList, { power: '4' }],
          [approval.getSystemManagerTransferInfo, { id: user_id }],
          [approval.transferManagerBySystemManager, { id: user_id, member_id: whom.member_id }],
          [approval.transferSystemManager, { member_id: whom.member_id, password: 'x' }],
        ]
        for (const [call, input] of attempts) {
          requested += 1
          expect([call.route, (await caller.call(call, input)).code]).toEqual([call.route, not_permitted.code])
        }
      }
    }
    expect(requested).toBe(156)
    expect(await rights()).toEqual(before)
  })

  it('does not let power 1 escalate, change the head administrator, or become one', async () => {
    const head = await corp.person({ power: ['4'] })
    const me = await corp.person({ power: ['1', '2'] })
    const caller = await world.signIn(me)
    const current = me.admin_id ?? ''
    const heads = head.admin_id ?? ''
    const attempts: [Call, CallRequest<Call>][] = [
      [role.editUserScope, { user_id: current, scope: all }],
      [role.insertRole, { member_id: me.member_id, power: ['2'], scope: all }],
      [role.addAmin, { member_ids: [me.member_id], power: ['3'], scope: all }],
      [role.clearRole, { user_id: current, power: '1' }],
      [role.clearRole, { user_id: heads, power: '4' }],
      [role.insertRole, { member_id: head.member_id, power: ['2'], scope: all }],
      [role.editUserScope, { user_id: heads, scope: { all: false, department_ids: [corp.root_id] } }],
      [role.endUserSessions, { user_id: heads }],
      [approval.transferManagerBySystemManager, { id: heads, member_id: me.member_id }],
      [approval.transferSystemManager, { member_id: me.member_id, password: 'x' }],
      [member.clearMember, { id: head.member_id }],
    ]
    for (const [call, input] of attempts)
      expect([call.route, (await caller.call(call, input)).code]).toEqual([call.route, not_permitted.code])
    const rows = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('admin').select('power').where('id', 'in', [current, heads]).orderBy('created_at').orderBy('id').execute(),
    )
    expect(rows.map((row) => row.power.join())).toEqual(['4', '1,2'])
  })
})

describe('I9: rights revoked during a session', () => {
  const revoking = { full: 1_000, sample: 60, of: 'revocations', goal: 'I9' }
  trial(
    'revocation',
    'applies concurrent grants and revocations in four companies to the next request',
    revoking,
    async ({ size }) => {
      const stale = await Promise.all([size / 4, size / 4, size / 4, size / 4].map(loops))
      expect(stale.flat()).toEqual([])
    },
  )

  /** Grants and revokes rights this many times in a separate company and returns late effects. */
  async function loops(rounds: number): Promise<string[]> {
    const own_corp = await world.createCompany()
    const head = await world.signIn(await own_corp.person({ power: ['4'] }))
    const [lab, sales] = [await own_corp.department('研发部'), await own_corp.department('销售部')]
    const inLab = await own_corp.person({ department_ids: [lab] })
    const person = await own_corp.person()
    let user_id = ''
    // Three ways to lose a right, each with a call that needs it.
    const ways: { lose: () => Promise<unknown>; needs: (own: Caller) => Promise<{ code: number }> }[] = [
      {
        lose: () => head.must(role.clearRole, { user_id, power: '2' }),
        needs: (own) => own.call(slip.getWageList, {}),
      },
      {
        lose: () => head.must(role.clearHrManager, { user_id }),
        needs: (own) => own.call(member.getMemberInfo, { id: inLab.member_id }),
      },
      {
        lose: () => head.must(role.editUserScope, { user_id, scope: { all: false, department_ids: [sales] } }),
        needs: (own) => own.call(member.getMemberInfo, { id: inLab.member_id }),
      },
    ]
    const scope = { all: false, department_ids: [lab] }
    const stale: string[] = []
    let own = await world.signIn(person)
    for (let round = 0; round < rounds; round += 1) {
      const channel = ways[round % 3] as (typeof ways)[number]
      user_id = (await head.must(role.insertRole, { member_id: person.member_id, power: ['2', '3'], scope })).user_id
      // A session from before the grant has the new right at once, unless the grant reduced the old scope.
      let provided = await channel.needs(own)
      if (provided.code === signed_out.code && round > 0) {
        own = await world.signIn(person)
        provided = await channel.needs(own)
      }
      if (provided.code !== 0) stale.push(`${round}: given, and refused with ${provided.code}`)
      await channel.lose()
      const after = await channel.needs(own)
      if (after.code !== signed_out.code) stale.push(`${round}: taken, and answered ${after.code}`)
      // After signing in again, the user has only the remaining rights.
      own = await world.signIn(person)
      if (round % 3 === 2) {
        const again = await channel.needs(own)
        if (again.code !== not_found.code) stale.push(`${round}: out of scope, and answered ${again.code}`)
      }
    }
    return stale
  }

  const behind = { full: 1_000, sample: 40, of: 'revocations', goal: 'I9' }
  trial(
    'revocation',
    'applies a power that was changed directly in the database row to the next request',
    behind,
    async ({ size }) => {
      const person = await corp.person({ power: ['2'] })
      const own = await world.signIn(person)
      const set = (power: Power[]) =>
        world.database.inCompany(corp.company_id, (tx) =>
          tx
            .updateTable('admin')
            .set({ power })
            .where('id', '=', person.admin_id ?? '')
            .execute(),
        )
      const stale: number[] = []
      for (let round = 0; round < size; round += 1) {
        await set([])
        if ((await own.call(slip.getWageList, {})).code !== not_permitted.code) stale.push(round)
        await set(['2'])
        if ((await own.call(slip.getWageList, {})).code !== 0) stale.push(round)
      }
      expect(stale).toEqual([])
    },
  )
})
