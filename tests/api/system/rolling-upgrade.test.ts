/**
 * Two servers on one database, of which one is stopped and replaced while requests and a send continue: no acknowledged
 * change is lost, no payslip is sent twice, and what is refused may be retried.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { insertDepartment } from '../../../server/contract/directory/members.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { HttpCaller } from '../../support/callers/http.ts'
import { givePassword } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { asOwner } from '../../support/run/database.ts'
import { freePort } from '../../support/run/server.ts'
import { deliveries, makeBatch, salaries } from '../../support/slips.ts'

const world = demoWorld(true)
const secret = '梅兰竹菊 2026'
const people = 200

type Server = { readonly address: string; readonly process: ChildProcess }
async function startOnThisDatabase(): Promise<Server> {
  const { role, app_password } = JSON.parse(process.env.XINHAN_TEST_CLUSTER ?? '{}') as { role: string; app_password: string }
  const { host, port, user, password, database } = world.owner
  const toUrl = (name: unknown, secret: unknown): string =>
    `postgres://${String(name)}:${encodeURIComponent(String(secret ?? ''))}@localhost:${String(port ?? 5432)}/${String(database)}?host=${encodeURIComponent(String(host))}`
  const listening = await freePort()
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      XINHAN_ORIGIN: 'https://pay.example.cn',
      XINHAN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      XINHAN_BILLING: '0',
      HOST: '127.0.0.1',
      PORT: String(listening),
      LOG_LEVEL: 'error',
      DATABASE_URL: toUrl(user, password),
      DATABASE_APP_URL: toUrl(role, app_password),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  await new Promise<void>((done, fail) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString()
      if (output.includes('is ready: ')) done()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', (code) => fail(new Error(`the server ended with ${code}:\n${output}`)))
  })
  return { address: `http://127.0.0.1:${listening}`, process: child }
}

it('replaces one of two servers under load without losing a change or sending twice', { timeout: 180_000 }, async () => {
  const corp = await world.createCompany()
  const head = await corp.person({ power: ['4'] })
  await givePassword(world, head, secret)
  const batch_id = await makeBatch(world, head, await corp.people(people))
  await asOwner(world, (owner) => owner.query(`update company set setting = setting || '{"undo_seconds": 0}'`))
  const [staying, leaving] = await Promise.all([startOnThisDatabase(), startOnThisDatabase()])
  const servers = [staying, leaving]
  const started = [...servers]
  try {
    const caller = async ({ address }: Server) => new HttpCaller(address).signIn(head.mobile, secret)
    const callers = await Promise.all(servers.map(caller))
    const acknowledged: string[] = []
    const progress = { isOver: false }
    let [refusals, unexpected] = [0, '']
    /** Creates departments, and turns to the other server when one does not answer. */
    const work = async (worker: number): Promise<void> => {
      for (let number = 0; !progress.isOver; number += 1) {
        const name = `部门${worker}-${number}`
        const at = callers[(worker + number) % callers.length]
        const answer = await at?.call(insertDepartment, { name, pid: corp.root_id }).catch(() => null)
        if (answer?.error_code === 0) acknowledged.push(name)
        // A server that is closing answers 503 without the envelope.
        else if (!answer || answer.error_code === undefined || [100429, 100503].includes(answer.error_code)) refusals += 1
        else unexpected = `${answer.error_code} ${answer.error_msg}`
      }
    }
    const load = Promise.all([0, 1, 2].map(work))
    const [first] = callers
    const plan = await first?.must(slip.sendPaySheet, { batch_id, channels: ['link'], rules: {} })
    await first?.must(slip.doSend, { plan_id: plan?.plan_id ?? '', looked: true })
    const ended = once(leaving.process, 'exit')
    leaving.process.kill('SIGTERM')
    expect((await ended)[0]).toBe(0)
    const replacement = await startOnThisDatabase()
    started.push(replacement)
    callers[1] = await caller(replacement)
    await expect
      .poll(async () => (await salaries(world, corp, batch_id)).filter(({ status }) => status === 'sent').length, {
        timeout: 60_000,
      })
      .toBe(people)
    progress.isOver = true
    await load
    expect(unexpected).toBe('')
    expect(acknowledged.length).toBeGreaterThan(20)
    const stored = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('department').select('name').where('company_id', '=', corp.company_id).execute(),
    )
    const names = stored.map(({ name }) => name)
    expect(acknowledged.filter((name) => names.filter((one) => one === name).length !== 1)).toEqual([])
    const sent = await deliveries(world, corp, batch_id)
    expect(new Set(sent.map(({ salary_id }) => salary_id)).size).toBe(sent.length)
    expect(sent.filter(({ attempts }) => attempts > 1)).toEqual([])
    expect(refusals).toBeLessThan(acknowledged.length * 20)
  } finally {
    for (const { process: child } of started) child.kill('SIGTERM')
    await Promise.all(started.map(async ({ process: child }) => child.exitCode ?? (await once(child, 'exit'))))
  }
})
