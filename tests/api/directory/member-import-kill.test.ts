/**
 * The real server, killed with -9 while it applies a roster: all members are imported or none, and applying again is
 * enough.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Call, CallOutput, CallRequest } from '../../../server/contract/call.ts'
import * as contract from '../../../server/contract/directory/import.ts'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import type { Database } from '../../../server/database/database.ts'
import { createSession, createXsrfToken } from '../../../server/http/sessions.ts'
import { newId } from '../../../server/shared/ids.ts'
import { mortalData } from '../../support/data/mortal.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { type Server, startServer } from '../../support/run/server.ts'
import { trial } from '../../support/run/trial.ts'

const { master, secrets, data, inDatabase, put } = mortalData()
let server: Server | null = null

async function getHead(database: Database): Promise<Record<string, string>> {
  const [company_id, account_id, member_id] = [newId(), newId(), newId()]
  await database.withoutCompany((tx) => secrets.verifyMasterKey(tx))
  await database.withoutCompany((tx) => tx.insertInto('account').values({ id: account_id, mobile: '18899990001' }).execute())
  await database.inCompany(company_id, async (tx) => {
    await tx.insertInto('company').values({ id: company_id, name: '断电公司' }).execute()
    await secrets.createCompanyKey(tx, company_id)
    await tx.insertInto('department').values({ company_id, id: newId(), name: '断电公司' }).execute()
    await tx
      .insertInto('member')
      .values({ company_id, id: member_id, account_id, name: '负责人', mobile: '18899990001', status: 'active' })
      .execute()
    await tx
      .insertInto('admin')
      .values({ company_id, id: newId(), member_id, account_id, power: ['4'], scope_all: true })
      .execute()
  })
  const pair = await createSession(database, { account_id, company_id, epoch: 0, device: 'tests', now: new Date() })
  const xsrf = createXsrfToken(secrets, pair.session_id)
  return { 'user-token': pair.token, cookie: `sid=${pair.cookie}; XSRF-TOKEN=${xsrf}`, 'x-xsrf-token': xsrf }
}

const header = ['姓名', '手机号', '工号', '部门']
const getRoster = (kill: number, people: number): Buffer => {
  const rows = Array.from({ length: people }, (_, at) => {
    const number = String(kill * 100_000 + at).padStart(8, '0')
    return [`断电${number}`, `138${number}`, `K${number}`, `中心${at % 20}/小组${at % 200}`]
  })
  return makeXlsx({ sheets: [{ name: '员工', rows: [header, ...rows] }] })
}

const people = 3_000
trial(
  'import-kill',
  'applies a roster completely or not at all after kill -9, and completes it when repeated',
  { full: 10, sample: 0, of: 'kills' },
  async ({ size: kills, random, says }) => {
    const headers = await inDatabase(getHead)
    const env = { XINHAN_MASTER_KEY: master.toString('hex') }
    const send = async <C extends Call>(call: C, body: RequestInit): Promise<CallOutput<C> | string> => {
      const response = await fetch(`${server?.address}${call.path}`, { method: 'POST', ...body })
      if (response.status === 503) return sleep(200).then(() => send(call, body))
      const answer = (await response.json()) as { error_code: number; error_msg: string; data: CallOutput<C> }
      return answer.error_code === 0 ? answer.data : answer.error_msg
    }
    const call = async <C extends Call>(call: C, input: CallRequest<C>): Promise<CallOutput<C>> => {
      const answer = await send(call, {
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      })
      if (typeof answer === 'string') throw new Error(`${call.route}: ${answer}\n${server?.output() ?? ''}`)
      return answer
    }
    const bring = (import_id: string, bytes: Buffer) => {
      const form = new FormData()
      form.set('import_id', import_id)
      form.set('file', new Blob([new Uint8Array(bytes)]), '花名册.xlsx')
      return send(contract.importMemberFile, { headers, body: form })
    }
    const count = async () => (await call(getMemberList, { pagesize: 1 })).page.total
    const again = async () => {
      await server?.kill()
      server = put(await startServer({ data, env, ...(server ? { port: server.port } : {}) }))
    }
    await again()
    let [anonymous, everybody] = [0, 0]
    for (let kill = 0; kill < kills; kill += 1) {
      const before = await count()
      const bytes = getRoster(kill, people)
      const import_id = newId()
      await bring(import_id, bytes)
      const { import: stored } = await call(contract.getImport, {})
      const id = stored?.import_id ?? ''
      let over = false
      const carried = call(contract.uploadMembers, { import_id: id, mode: 'update' })
        .catch(() => null)
        .finally(() => void (over = true))
      const notify = async () => (await call(contract.getImport, { import_id: id }).catch(() => null))?.import
      const requested = random.below(people)
      for (;;) {
        const now = await notify()
        if (over || !now || (now.stage === 'applying' && now.done >= requested)) break
        await sleep(5)
      }
      await again()
      await carried
      const after = await count()
      expect([before, before + people]).toContain(after)
      if (after === before) {
        anonymous += 1
        // The lock is released by itself within a few seconds; until then the server answers that the import is
        // running.
        for (;;) {
          const answer = await send(contract.uploadMembers, {
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify({ import_id: id, mode: 'update' }),
          })
          if (typeof answer !== 'string') {
            expect(answer.created).toBe(people)
            break
          }
          expect(answer).toBe('正在导入，请稍候')
          await sleep(500)
        }
      } else everybody += 1
      expect(await count()).toBe(before + people)
      expect(await bring(newId(), bytes)).toMatchObject({
        counts: { same: people, new: 0, changed: 0, conflict: 0 },
        departments_count: 0,
      })
    }
    says(`nobody was there ${anonymous} times, everybody ${everybody} times`)
  },
)
