/**
 * Tests every call with API keys of every scope, and with keys that must not be accepted: revoked, expired, from a
 * foreign address, of an administrator who left, and of another company.
 */
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiKeyScope, apiKeyScopes, revokeApiKey } from '../../server/contract/api-keys/api-keys.ts'
import { scopeCalls } from '../../server/contract/api-keys/scope-calls.ts'
import { type ErrorName, errorCodes, getHttpStatus } from '../../server/contract/errors.ts'
import { allCalls } from '../../server/contract/index.ts'
import * as webhook from '../../server/contract/webhooks/webhooks.ts'
import { callWithKey, createProgram } from '../support/callers/program.ts'
import { demo } from '../support/demo.ts'
import { makeBatch, manyPeople } from '../support/slips.ts'
import type { Caller } from '../support/world.ts'
import { examples, type Ids, idsOfNothing } from './examples.ts'

/** The calls of each scope, written a second time by hand. */
const permitted: Record<ApiKeyScope, readonly string[]> = {
  'roster.read': [
    'GET /api/v1/key',
    'getDepartList',
    'getSonDepartList',
    'getMemberList',
    'getMemberInfo',
    'GET /api/v1/employees',
    'GET /api/v1/departments',
  ],
  'roster.write': [
    'GET /api/v1/key',
    'importMemberFile',
    'getImport',
    'getImportRows',
    'answerImport',
    'uploadMembers',
    'PUT /api/v1/employees',
    'POST /api/v1/employees/terminate',
    'PUT /api/v1/departments',
  ],
  'sheets.write': [
    'GET /api/v1/key',
    'uploadWageExcel',
    'getUploadProgress',
    'getTitleInfo',
    'insertBatchTitle',
    'checkRequireColumnData',
    'checkWageData',
    'dealWithSalaryList',
    'POST /api/v1/wage-sheets',
    'GET /api/v1/wage-sheets/:batch_id',
    'POST /api/v1/wage-sheets/:batch_id/answers',
    'POST /api/v1/wage-sheets/:batch_id/check',
    'GET /api/v1/wage-sheets/:batch_id/issues',
    'POST /api/v1/wage-sheets/:batch_id/resolutions',
  ],
  'payslips.send': [
    'GET /api/v1/key',
    'getSendOptions',
    'getSendPlan',
    'sendPaySheet',
    'applySend',
    'getSendApproval',
    'doSend',
    'getSendInfo',
    'GET /api/v1/batches/:batch_id',
    'POST /api/v1/batches/:batch_id/plan',
    'POST /api/v1/batches/:batch_id/test',
    'POST /api/v1/batches/:batch_id/send',
    'POST /api/v1/batches/:batch_id/schedule',
    'POST /api/v1/batches/:batch_id/withdraw',
  ],
  'payslips.read': [
    'GET /api/v1/key',
    'getWageList',
    'getBatchList',
    'getWageDetail',
    'getSendInfo',
    'GET /api/v1/batches',
    'GET /api/v1/batches/:batch_id',
    'GET /api/v1/batches/:batch_id/deliveries',
    'GET /api/v1/payslips',
    'GET /api/v1/payslips/:payslip_id',
    'GET /api/v1/payslips/:payslip_id/receipts',
  ],
  'reports.read': [
    'GET /api/v1/key',
    'getYearList',
    'chartData',
    'getAveragewageDetail',
    'getYearSalaryCharts',
    'GET /api/v1/tax-results',
  ],
  webhooks: [
    'GET /api/v1/key',
    'GET /api/corp/webhooks',
    'POST /api/corp/webhooks',
    'POST /api/corp/webhooks/secret',
    'DELETE /api/corp/webhooks',
    'POST /api/corp/webhooks/test',
    'POST /api/corp/webhooks/log',
    'POST /api/corp/webhooks/redeliver',
    'POST /api/corp/webhooks/replay',
    'GET /api/v1/webhooks',
    'POST /api/v1/webhooks',
    'DELETE /api/v1/webhooks/:webhook_id',
    'POST /api/v1/webhooks/:webhook_id/test',
    'POST /api/v1/webhooks/:webhook_id/replay',
  ],
}
const isPermitted = (scope: ApiKeyScope, { name, route }: { name: string; route: string }) =>
  permitted[scope].includes(route) || permitted[scope].includes(name)
/** Lists where a foreign id is a filter: their result is empty. */
const filtering = new Set(['POST /api/wage/getBatchList', 'POST /api/wage/getUploadProgress'])
const getErrorCode = (name: ErrorName): number => errorCodes[name].code
const refusals: readonly number[] = [errorCodes.not_permitted.code, errorCodes.signed_out.code]

const { world, corp, clerk } = demo({ own: true, company: { name: '甲公司' } })
let ids: Ids
let head: Caller
const programs = {} as Record<ApiKeyScope, Caller>
const dead: Record<string, Caller> = {}
let foreign: Caller

beforeAll(async () => {
  head = await world.signIn(await corp.person({ power: ['4'] }))
  const people = await manyPeople(world, corp, 3)
  const batch_id = await makeBatch(world, clerk, people)
  const { webhook_id } = await head.must(webhook.saveWebhook, {
    url: 'https://hr.example.com/hook',
    events: ['slip.sent'],
    active: true,
  })
  const { event_id } = await head.must(webhook.testWebhook, { webhook_id })
  const member_id = people[0]?.member_id ?? ''
  ids = { ...idsOfNothing, batch_id, draft_id: batch_id, member_id, department_id: corp.root_id, webhook_id, event_id }
  for (const scope of apiKeyScopes) programs[scope] = (await createProgram(world, head, { scopes: [scope] })).program
  await makeDeadKeys()
  const other = await world.createCompany({ name: '乙公司' })
  foreign = (await createProgram(world, await world.signIn(await other.person({ power: ['4'] })))).program
})

async function makeDeadKeys(): Promise<void> {
  const revoked = await createProgram(world, head)
  await head.must(revokeApiKey, { key_id: revoked.key_id })
  dead.revoked = revoked.program
  const expired = await createProgram(world, head)
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('api_key').set({ expires_at: world.clock.now() }).where('id', '=', expired.key_id).execute(),
  )
  dead.expired = expired.program
  dead['foreign address'] = (await createProgram(world, head, { addresses: ['203.0.113.0/24', '2001:db8::/32'] })).program
  const former = await corp.person({ power: ['4'] })
  dead['administrator who left'] = (await createProgram(world, await world.signIn(former))).program
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('admin').set({ power: [] }).where('id', '=', former.admin_id).execute(),
  )
  dead.unknown = callWithKey(world, `${revoked.key.slice(0, -4)}AAAA`)
  dead.malformed = callWithKey(world, 'xh_live_x')
}

/** Returns a digest of the rows of company A that a program could change. */
async function digest(): Promise<unknown> {
  const tables = ['member', 'department', 'batch', 'sheet_row', 'send_plan', 'payslip', 'delivery', 'webhook', 'file', 'api_key']
  const each = tables.map(
    (table) =>
      sql`select ${table} as name, md5(string_agg((to_jsonb(t) - 'refused_at')::text, '|' order by (to_jsonb(t) - 'refused_at')::text)) as digest from ${sql.table(table)} t`,
  )
  return world.database.inCompany(
    corp.company_id,
    async (tx) => (await sql`${sql.join(each, sql` union all `)}`.execute(tx)).rows,
  )
}

describe('API keys', () => {
  it('have the calls of their scope and no others', () => {
    for (const scope of apiKeyScopes)
      expect(scopeCalls[scope].map(({ route }) => route).toSorted()).toEqual(
        allCalls
          .filter((call) => isPermitted(scope, call))
          .map(({ route }) => route)
          .toSorted(),
      )
  })

  it('of every scope are refused by every call outside of it, and accepted inside', async () => {
    const counts = { refused: 0, accepted: 0 }
    for (const call of allCalls)
      for (const scope of apiKeyScopes) {
        const inside = isPermitted(scope, call)
        // Inside, ids of nothing show that the request got past authorization, and change nothing.
        const { code, status } = await programs[scope].call(call, examples[call.route]?.(idsOfNothing) ?? {})
        if (inside) expect([scope, call.route, refusals.includes(code)]).toEqual([scope, call.route, false])
        else expect([scope, call.route, code, status]).toEqual([scope, call.route, errorCodes.not_permitted.code, 403])
        counts[inside ? 'accepted' : 'refused'] += 1
      }
    const inside = Object.values(permitted).flat().length
    expect(counts).toEqual({ refused: allCalls.length * apiKeyScopes.length - inside, accepted: inside })
  })

  it('that are revoked, expired, used elsewhere or of an administrator who left are refused by every call', async () => {
    const before = await digest()
    for (const call of allCalls)
      for (const [kind, program] of Object.entries(dead)) {
        const { code, status } = await program.call(call, examples[call.route]?.(ids) ?? {})
        expect([kind, call.route, refusals.includes(code), [401, 403].includes(status)]).toEqual([kind, call.route, true, true])
      }
    expect(await digest()).toEqual(before)
  })

  it('of another company find and change nothing with the ids of this one', async () => {
    const before = await digest()
    for (const call of new Set(Object.values(scopeCalls).flat())) {
      const input = examples[call.route]?.(ids) ?? {}
      const { code, status, data } = await foreign.call(call, input)
      const names = Object.entries(input).some(([key, value]) => value !== null && (key.endsWith('_id') || key === 'pid'))
      if (names && !filtering.has(call.route))
        expect([call.route, code, status]).toEqual([call.route, getErrorCode('not_found'), 404])
      for (const secret of [...Object.values(ids), '甲公司', clerk.name].filter((text) => String(text).length > 2))
        if (!Object.values(idsOfNothing).includes(secret as never)) expect(JSON.stringify(data ?? {})).not.toContain(secret)
    }
    expect(await digest()).toEqual(before)
  })

  it('get the HTTP status of the error', async () => {
    const { code, status } = await programs.webhooks.call(webhook.getWebhookLog, { webhook_id: idsOfNothing.webhook_id })
    expect([code, status]).toEqual([getErrorCode('not_found'), getHttpStatus('not_found')])
  })
})
