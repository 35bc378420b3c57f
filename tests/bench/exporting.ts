/** Measures large exports: their memory above that of an idle server, and how much they slow down other requests. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import * as slip from '../../server/contract/payslips/send.ts'
import { issueReceipt, sealPayslipContent } from '../../server/modules/payslip-records/index.ts'
import { sealRecognition } from '../../server/modules/sheets/recognition.ts'
import type { RowCells } from '../../server/rules/amounts.ts'
import { newId } from '../../server/shared/ids.ts'
import { makeBatch, manyPeople, plainRecognized } from '../support/slips.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../support/world.ts'

const mb = 2 ** 20
const people_context = 1_000
const width = 20
const a_statement = 500

export type Exported = {
  readonly what: string
  readonly seconds: number
  readonly file_mb: number
  /** Resident memory in MB: before, and the maximum above that. */
  readonly before_mb: number
  readonly above_mb: number
  /** Latency of an unrelated request, in ms. */
  readonly idle: { readonly p50: number; readonly p99: number }
  readonly comparison: { readonly p50: number; readonly p99: number }
}

const key = (at: number) => `c${at}`
const columns = Array.from({ length: width }, (_, at) => ({
  key: key(at),
  col: String.fromCharCode(65 + at),
  path: [`第${at}项`],
  label: `第${at}项`,
  role: at === 0 ? ('name' as const) : at === width - 1 ? ('net' as const) : ('earning' as const),
  kind: at === 0 ? ('text' as const) : ('money' as const),
  samples: [],
  confidence: 1,
  reason: '',
  hidden: false,
}))

/** Creates a batch with the given number of payslips, all confirmed; the first of them have receipts. */
async function fill(world: World, corp: Corp, owner: Person, count: number, receipts: number): Promise<string> {
  const people = await manyPeople(world, corp, people_context)
  const batch_id = await makeBatch(world, owner, people.slice(0, 3))
  const { company_id } = corp
  const now = world.clock.now()
  await world.database.inCompany(company_id, async (tx) => {
    const vault = await world.secrets.vault(tx, company_id)
    const values = {
      status: 'sent' as const,
      people: count,
      recognition: sealRecognition(vault, batch_id, plainRecognized(columns, count)),
      sent_at: now,
    }
    await tx.updateTable('batch').set(values).where('id', '=', batch_id).execute()
  })
  for (let from = 0; from < count; from += a_statement)
    await world.database.inCompany(
      company_id,
      async (tx) => {
        const vault = await world.secrets.vault(tx, company_id)
        const ids: string[] = []
        const rows = Array.from({ length: Math.min(a_statement, count - from) }, (_, step) => {
          const at = from + step
          const id = newId()
          ids.push(id)
          const cells: RowCells = Object.fromEntries(
            Array.from({ length: width }, (__, column) => {
              const fen = 100_000 + at * 7 + column * 1_111
              return [
                key(column),
                column === 0 ? { value: '某人', kind: 'text' } : { value: (fen / 100).toFixed(2), kind: 'money', fen },
              ]
            }),
          )
          const content = { cells, net_fen: 100_000 + at, gross_fen: null, tax_fen: null }
          const member_id = people[at % people_context]?.member_id ?? ''
          return {
            company_id,
            id,
            batch_id,
            member_id,
            row_no: at + 2,
            version: 1,
            channel: 'link' as const,
            cells: sealPayslipContent(vault, id, 1, content),
            ...confirmed(now),
          }
        })
        await tx.insertInto('payslip').values(rows).execute()
        for (const [step, slip_id] of ids.entries()) {
          if (from + step >= receipts) break
          const notified = {
            kind: 'person' as const,
            company: '基准公司',
            person: people[(from + step) % people_context]?.name ?? '',
            month: '2026-10',
          }
          await issueReceipt(
            { db: tx, company_id, vault, now },
            { ...notified, slip_id, version: 1, confirmed_at: now, form: null, hash: 'A'.repeat(43), handwriting: null },
          )
        }
      },
      { timeout_ms: 60_000 },
    )
  return batch_id
}
const confirmed = (now: Date) => ({
  status: 'confirmed' as const,
  sent_at: now,
  viewed_at: now,
  confirmed_at: now,
  confirmed_version: 1,
})

type Answered = { latency: { p50: number; p99: number }; non2xx: number; errors: number; requests: { total: number } }
const cannon = createRequire(import.meta.url).resolve('autocannon')
/**
 * Requests another user's pages one after the other. It runs in another process, so that its memory does not count as
 * the server's.
 */
async function asking(address: string, caller: Caller, seconds: number) {
  const head = Object.entries({ ...caller.headers, 'content-type': 'application/json' }).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ])
  const options = ['-j', '-c', '1', '-d', `${seconds}`, '-m', 'POST', '-b', JSON.stringify({ page: 1 }), ...head]
  const { stdout } = await promisify(execFile)(process.execPath, [cannon, ...options, `${address}${slip.getWageList.path}`])
  const { latency, non2xx, errors, requests }: Answered = JSON.parse(stdout)
  if (non2xx > 0 || errors > 0 || requests.total === 0) throw new Error('a request beside the export was refused')
  return { p50: latency.p50, p99: latency.p99 }
}

export async function exporting(rows: number, people: number): Promise<Exported[]> {
  const world = await startWorld()
  try {
    const corp = await world.createCompany()
    const owner = await corp.person({ power: ['2'] })
    const batches = [await fill(world, corp, owner, rows, 0), await fill(world, corp, owner, people, people)] as const
    const caller = await world.signIn(owner)
    const address = await world.product.app.listen({ host: '127.0.0.1', port: 0 })
    const notified: Exported[] = []
    const measure = async (what: string, batch_id: string, options: { what: slip.ExportKind; format?: 'pdf' }) => {
      // Warms the server up until its memory has grown as much as responding alone makes it grow.
      await asking(address, caller, 30)
      const idle = await asking(address, caller, 10)
      globalThis.gc?.()
      const before = process.memoryUsage.rss()
      let most = before
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage.rss())
      }, 50)
      const began = performance.now()
      const { job_id } = await caller.must(slip.exportWageDetail, { batch_id, ...options })
      const work = { on: true }
      const made = world.product.jobs.drain().finally(() => {
        work.on = false
      })
      const times: { p50: number; p99: number }[] = []
      while (work.on) times.push(await asking(address, caller, 5))
      await made
      clearInterval(watch)
      const seconds = (performance.now() - began) / 1000
      const { size } = await world.database.inCompany(corp.company_id, (tx) =>
        tx
          .selectFrom('export_job')
          .innerJoin('file', 'file.id', 'export_job.file_id')
          .select('file.size')
          .where('export_job.id', '=', job_id)
          .executeTakeFirstOrThrow(),
      )
      const worst = times.toSorted((a, b) => b.p99 - a.p99)[0] ?? idle
      notified.push({
        what,
        seconds,
        file_mb: size / mb,
        before_mb: before / mb,
        above_mb: (most - before) / mb,
        idle,
        comparison: worst,
      })
    }
    await measure(`${rows} rows as a sheet`, batches[0], { what: 'detail' })
    await measure(`${people} receipts as pages`, batches[1], { what: 'receipts', format: 'pdf' })
    await measure(`${people} slips as evidence`, batches[1], { what: 'evidence' })
    return notified
  } finally {
    await world.close()
  }
}
