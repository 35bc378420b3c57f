/**
 * Two servers on one database, of which one is stopped and replaced while requests and a send continue: no acknowledged
 * change is lost, no payslip is sent twice, and what is refused may be retried.
 */
import { expect, it } from 'vitest'
import { insertDepartment } from '../../../server/contract/directory/members.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { HttpCaller } from '../../support/callers/http.ts'
import { givePassword } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { asOwner } from '../../support/run/database.ts'
import { type ServerProcess, startOnDatabase } from '../../support/run/processes.ts'
import { deliveries, makeBatch, salaries } from '../../support/slips.ts'

const world = demoWorld(true)
const secret = '梅兰竹菊 2026'
const people = 200

it('replaces one of two servers under load without losing a change or sending twice', { timeout: 180_000 }, async () => {
  const corp = await world.createCompany()
  const head = await corp.person({ power: ['4'] })
  await givePassword(world, head, secret)
  const batch_id = await makeBatch(world, head, await corp.people(people))
  await asOwner(world, (owner) => owner.query(`update company set setting = setting || '{"undo_seconds": 0}'`))
  const [staying, leaving] = await Promise.all([startOnDatabase(world), startOnDatabase(world)])
  const servers = [staying, leaving]
  const started = [...servers]
  try {
    const caller = async ({ address }: ServerProcess) => new HttpCaller(address).signIn(head.mobile, secret)
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
    expect(await leaving.stop()).toBe(0)
    const replacement = await startOnDatabase(world)
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
    await Promise.all(started.map((server) => server.stop()))
  }
})
