/**
 * Retention: nothing is deleted by default, below the lower bound of the law, or on hold; what is deleted leaves a
 * record, and the audit log stays verifiable.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getRetention, type RetentionKind, saveRetention } from '../../../server/contract/retention/retention.ts'
import { saveFile } from '../../../server/files/stored-files.ts'
import { createAuditLinker } from '../../../server/http/audit-chain.ts'
import { verifyCompanyAuditLog } from '../../../server/http/audit-verification.ts'
import { deleteExpiredData, getCutoff } from '../../../server/modules/retention/delete-expired.ts'
import { createLogger } from '../../../server/observability/log.ts'
import { asOwner } from '../../support/run/database.ts'
import { makeBatch, send } from '../../support/slips.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../../support/world.ts'

let world: World
let corp: Corp
let head: Person
let manager: Caller
const log = createLogger('silent')
const { signal } = new AbortController()
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const noRules = {
  audit_log: null,
  sign_in_log: null,
  sheet_file: null,
  export_file: null,
  payslip: null,
  terminated_member: null,
}
async function startCompany(): Promise<void> {
  corp = await world.createCompany()
  head = await corp.person({ power: ['4'] })
  manager = await world.signIn(head)
}
const setRules = async (rules: Partial<Record<RetentionKind, number>>, hold_reason = '') => {
  const { revision } = await manager.must(getRetention)
  return manager.must(saveRetention, { rules: { ...noRules, ...rules }, legal_hold: hold_reason !== '', hold_reason, revision })
}
const runNight = () => deleteExpiredData({ ...world, log }, signal)
const link = () => createAuditLinker({ ...world, log }).link(corp.company_id)
const verify = () => verifyCompanyAuditLog(world, corp.company_id, new Map())
const monthsAgo = (months: number) => {
  const at = new Date(world.clock.now())
  at.setUTCMonth(at.getUTCMonth() - months)
  return at
}
const owner = (text: string, values: readonly unknown[] = []) =>
  asOwner(world, async (client) => {
    await client.query(`select set_config('app.company', $1, false)`, [corp.company_id])
    return (await client.query<{ count: number }>(text, [corp.company_id, ...values])).rows
  })
async function addLogEntries(table: 'audit_log_entry' | 'sign_in_log_entry', months: number, count: number): Promise<void> {
  await owner(
    `insert into ${table} (company_id, id, at, call, outcome)
      select $1, gen_random_uuid(), $2::timestamptz + n * interval '1 second', 'old', 'done' from generate_series(1, $3::int) n`,
    [monthsAgo(months), count],
  )
}
const countOld = async (table: 'audit_log_entry' | 'sign_in_log_entry') =>
  (await owner(`select count(*)::int as count from ${table} where company_id = $1 and call = 'old'`))[0]?.count

describe('the rules', () => {
  it('are empty by default, and delete nothing however old it is', async () => {
    await startCompany()
    await addLogEntries('audit_log_entry', 240, 3)
    await addLogEntries('sign_in_log_entry', 240, 3)
    await link()
    await runNight()
    expect(await manager.must(getRetention)).toMatchObject({ rules: noRules, legal_hold: false, deletions: [] })
    expect([await countOld('audit_log_entry'), await countOld('sign_in_log_entry')]).toEqual([3, 3])
  })

  it.each([
    ['audit_log', 35],
    ['sign_in_log', 5],
    ['sheet_file', 23],
    ['export_file', 0],
    ['export_file', 601],
    ['payslip', 23],
    ['terminated_member', 71],
  ] as const)('refuse %s for %i months', async (kind, months) => {
    await startCompany()
    const answer = await manager.call(saveRetention, {
      rules: { ...noRules, [kind]: months },
      legal_hold: false,
      hold_reason: '',
      revision: 0,
    })
    expect(answer).toMatchObject({ code: 100001, data: { field: kind } })
  })

  it('need a reason for a hold, and refuse what somebody else has changed meanwhile', async () => {
    await startCompany()
    const rules = { ...noRules, sign_in_log: 12 }
    const withoutReason = await manager.call(saveRetention, { rules, legal_hold: true, hold_reason: '', revision: 0 })
    expect(withoutReason).toMatchObject({ code: 100001, data: { field: 'hold_reason' } })
    await manager.must(saveRetention, { rules, legal_hold: true, hold_reason: '劳动争议', revision: 0 })
    const late = await manager.call(saveRetention, { rules, legal_hold: false, hold_reason: '', revision: 0 })
    expect(late.message).toContain('其他管理员刚刚修改过保存期限')
    expect(await manager.must(getRetention)).toMatchObject({ legal_hold: true, hold_reason: '劳动争议' })
  })

  it('count calendar months, and never less than the bound', () => {
    expect(getCutoff(new Date('2026-05-31T03:40:00Z'), 'export_file', 3).toISOString()).toBe('2026-02-28T03:40:00.000Z')
    expect(getCutoff(new Date('2026-05-31T03:40:00Z'), 'audit_log', 1).toISOString()).toBe('2023-05-31T03:40:00.000Z')
  })
})

describe('the nightly deletion', () => {
  it('deletes only log entries older than the rule, records it, and leaves the chain verifiable', async () => {
    await startCompany()
    await addLogEntries('audit_log_entry', 50, 6)
    await addLogEntries('audit_log_entry', 37, 2)
    await addLogEntries('sign_in_log_entry', 13, 4)
    await addLogEntries('sign_in_log_entry', 11, 1)
    await setRules({ audit_log: 48, sign_in_log: 12 })
    await link()
    await runNight()
    expect([await countOld('audit_log_entry'), await countOld('sign_in_log_entry')]).toEqual([2, 1])
    const { deletions } = await manager.must(getRetention)
    expect(deletions.map(({ kind, months, count }) => [kind, months, count])).toEqual([
      ['sign_in_log', 12, 4],
      ['audit_log', 48, 6],
    ])
    const entries = await owner(
      `select count(*)::int as count from audit_log_entry where company_id = $1 and call = 'job retention: deletion'
        and (details->>'deleted_count')::int in (4, 6)`,
    )
    expect(entries[0]?.count).toBe(2)
    await link()
    expect(await verify()).toMatchObject({ problem: null, unlinked: 0 })
    await runNight()
    expect((await manager.must(getRetention)).deletions).toHaveLength(2)
  })

  it('leaves a log that verifies, unless its beginning is cut by somebody else', async () => {
    await startCompany()
    await addLogEntries('audit_log_entry', 60, 5)
    await setRules({ audit_log: 36 })
    await link()
    await runNight()
    await link()
    expect(await verify()).toMatchObject({ problem: null })
    await owner('delete from audit_log_entry where company_id = $1 and seq = 6')
    await owner('update audit_log_head set cut_seq = 6 where company_id = $1')
    expect((await verify()).problem).toBe('缺少第 1 条到第 6 条')
  })

  it('deletes nothing during a hold', async () => {
    await startCompany()
    await addLogEntries('sign_in_log_entry', 100, 3)
    await setRules({ sign_in_log: 6 }, '税务检查')
    await runNight()
    expect(await countOld('sign_in_log_entry')).toBe(3)
    await setRules({ sign_in_log: 6 })
    await runNight()
    expect(await countOld('sign_in_log_entry')).toBe(0)
  })

  it('cannot be asked by the application for entries below the bound', async () => {
    await startCompany()
    await addLogEntries('audit_log_entry', 35, 3)
    await addLogEntries('sign_in_log_entry', 5, 3)
    await link()
    await world.database.inCompany(corp.company_id, async (tx) => {
      const { deleteAuditLogBefore, deleteSignInLogBefore } = await import('../../../server/http/log-retention.ts')
      const ctx = { db: tx, company_id: corp.company_id, vault: await world.secrets.vault(tx, corp.company_id) }
      const future = new Date('2999-01-01')
      expect([await deleteAuditLogBefore(ctx, future, 100), await deleteSignInLogBefore(ctx, future, 100)]).toEqual([0, 0])
    })
  })

  it('deletes old exports and files of wage sheets, and keeps payslips and newer files', async () => {
    await startCompany()
    const people = await corp.people(2)
    const batch_id = await makeBatch(world, head, people)
    await send(manager, batch_id)
    const files = async () =>
      world.database.inCompany(corp.company_id, (tx) =>
        tx.selectFrom('file').select('kind').where('company_id', '=', corp.company_id).orderBy('kind').execute(),
      )
    await world.database.inCompany(corp.company_id, async (tx) => {
      const ctx = {
        db: tx,
        company_id: corp.company_id,
        vault: await world.secrets.vault(tx, corp.company_id),
        now: world.clock.now(),
      }
      const bytes = Buffer.from('x')
      await saveFile(ctx, { kind: 'export', name: 'a.xlsx', bytes, account_id: head.account_id })
      await saveFile({ ...ctx, now: monthsAgo(4) }, { kind: 'export', name: 'b.xlsx', bytes, account_id: head.account_id })
      const file_id = await saveFile(
        { ...ctx, now: monthsAgo(30) },
        { kind: 'sheet', name: 'c.xlsx', bytes, account_id: head.account_id },
      )
      await tx
        .updateTable('batch')
        .set({ file_id, status: 'sent', sent_at: monthsAgo(23), updated_at: monthsAgo(23) })
        .where('company_id', '=', corp.company_id)
        .where('id', '=', batch_id)
        .execute()
    })
    await setRules({ export_file: 3, sheet_file: 24 })
    await runNight()
    expect((await files()).map(({ kind }) => kind)).toEqual(['export', 'sheet'])
    await owner(
      `update batch set sent_at = sent_at - interval '2 months', updated_at = sent_at - interval '2 months' where company_id = $1`,
    )
    await runNight()
    expect((await files()).map(({ kind }) => kind)).toEqual(['export'])
    const payslips = await owner('select count(*)::int as count from payslip where company_id = $1')
    expect(payslips[0]?.count).toBe(2)
    const { deletions } = await manager.must(getRetention)
    expect(deletions.map(({ kind, count }) => [kind, count])).toEqual([
      ['sheet_file', 1],
      ['export_file', 1],
    ])
  })
})
