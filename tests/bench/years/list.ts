/** Benchmarks the wage list under load. */
import autocannon from 'autocannon'
import * as slip from '../../../server/contract/payslips/send.ts'
import { newId } from '../../../server/shared/ids.ts'
import { type Caller, startWorld } from '../../support/world.ts'
import { sentRun } from './world.ts'

/** Measures the wage list of a company with 600 batches of 20 payslips, over HTTP. */
export async function listTimes(): Promise<{ rate: number; p50: number; p99: number; alone: number }> {
  const world = await startWorld()
  try {
    const corp = await world.createCompany()
    const owner = await corp.person({ power: ['2'] })
    const people = await corp.people(20)
    await fill(
      world,
      corp.company_id,
      owner.admin_id ?? '',
      people.map((one) => one.member_id),
    )
    const caller = await world.signIn(owner)
    const alone = await getTime(caller)
    const address = await world.product.app.listen({ host: '127.0.0.1', port: 0 })
    const result = await autocannon({
      url: `${address}${slip.getWageList.path}`,
      method: 'POST',
      connections: 16,
      duration: 6,
      workers: 1,
      headers: { ...caller.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ page: 3 }),
    })
    if (result.non2xx > 0 || result.errors > 0) throw new Error('the list refused requests')
    return { rate: Math.round(result.requests.average), p50: result.latency.p50, p99: result.latency.p99, alone }
  } finally {
    await world.close()
  }
}

async function getTime(caller: Caller): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 30; round += 1) {
    const began = performance.now()
    await caller.must(slip.getWageList, { page: 3 })
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[15] ?? 0
}

async function fill(
  world: Awaited<ReturnType<typeof startWorld>>,
  company_id: string,
  owner_id: string,
  members: string[],
): Promise<void> {
  const sealed = Buffer.from('not opened here')
  await world.database.inCompany(company_id, async (tx) => {
    const vault = await world.secrets.vault(tx, company_id)
    for (let at = 0; at < 600; at += 1) {
      const title_id = newId()
      const batch_id = newId()
      const month = `${2000 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`
      const owner = { company_id, owner_id, batch_id, title_id }
      const run = sentRun(vault, owner, { name: `工资${at}`, month, people: members.length })
      await tx.insertInto('title').values(run.title).execute()
      await tx.insertInto('batch').values(run.batch).execute()
      await tx
        .insertInto('payslip')
        .values(
          members.map((member_id, row) => ({
            company_id,
            id: newId(),
            batch_id,
            member_id,
            row_no: row + 2,
            status: row % 2 ? 'viewed' : 'sent',
            channel: 'sms',
            cells: sealed,
          })),
        )
        .execute()
    }
  })
}
