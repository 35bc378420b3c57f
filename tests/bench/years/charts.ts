/**
 * Benchmarks the page of charts over 10,000 employees and five years in a real browser, and the call behind it against
 * one bare aggregate: the same 120,000 payslips of the newest year as plain numbers in their own table, fifteen sums by
 * month, one statement.
 */
import { type Browser, chromium } from 'playwright-core'
import { chartData } from '../../../server/contract/reports/charts.ts'
import { packedComponents } from '../../../server/modules/reports/rules/packed-components.ts'
import { getStatements } from '../../scale/statements.ts'
import { chromiumArgs, ensureChromium, findChromium } from '../../support/run/chromium.ts'
import { asOwner } from '../../support/run/database.ts'
import { fiveYears, getWindow, newest_year, type Years } from './world.ts'

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Creates the bare table. Its columns are named like the components; figures differ from row to row. */
async function bareTable({ world, corp }: Years): Promise<() => Promise<number>> {
  const columns = packedComponents.map((part, at) => `(row_no * ${7 + at} % 900000)::bigint as "${part}"`)
  await asOwner({ owner: world.owner }, async (client) => {
    await client.query(`create table bare as select payslip.company_id, title.month, payslip.member_id, ${columns.join(', ')}
      from payslip join batch on batch.company_id = payslip.company_id and batch.id = payslip.batch_id
      join title on title.company_id = batch.company_id and title.id = batch.title_id`)
    await client.query('create index on bare (company_id, month)')
    await client.query('vacuum analyze bare')
  })
  const sums = packedComponents.map((part) => `sum("${part}")`).join(', ')
  const request = `select month, count(*), count(distinct member_id), ${sums} from bare where company_id = $1 and month between $2 and $3 group by month`
  return () =>
    asOwner({ owner: world.owner }, (client) =>
      timed(() => client.query(request, [corp.company_id, `${newest_year}-01`, `${newest_year}-12`])),
    )
}

type Opened = { readonly first: number; readonly full: number; readonly calls: number }
async function open(browser: Browser, years: Years): Promise<Opened> {
  const context = await getWindow(browser, years)
  const page = await context.newPage()
  let calls = 0
  page.on('request', (request) => {
    if (/\/api\/Charts\//i.test(request.url())) calls += 1
  })
  const began = performance.now()
  await page.goto('/chars/home', { waitUntil: 'commit' })
  const boxes = page.locator('.chart-box svg')
  await boxes.first().waitFor({ timeout: 60_000 })
  const first = performance.now() - began
  await boxes.nth(5).waitFor({ timeout: 60_000 })
  const full = performance.now() - began
  await context.close()
  return { first, full, calls }
}

export type Charted = {
  readonly building: number
  readonly preparing: number
  readonly bare: number
  readonly call: number
  readonly ratio: number
  readonly queries: number
  readonly page: Opened
}

export async function charting(people: number, times: number): Promise<Charted> {
  ensureChromium()
  const began = performance.now()
  const years = await fiveYears(people, 1, true)
  const building = performance.now() - began
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: chromiumArgs })
  try {
    const { caller, world } = years
    const view = () => caller.must(chartData, { year: newest_year, kind: 'all' })
    // The first view of a year decrypts its payslips in a job.
    const preparing = await timed(async () => {
      await view()
      await world.product.jobs.drain()
    })
    const bareView = await bareTable(years)
    const rounds: { bare: number; call: number; page: Opened }[] = []
    // The first round warms up and is not reported. The variants alternate, so that a busy moment affects all.
    for (let round = -1; round < times; round += 1) {
      const one = { bare: await bareView(), call: await timed(view), page: await open(browser, years) }
      if (round >= 0) rounds.push(one)
    }
    const queries = (await getStatements(view)).length
    const middle = (of: (one: (typeof rounds)[number]) => number): number => median(rounds.map(of))
    return {
      building,
      preparing,
      bare: middle(({ bare }) => bare),
      call: middle(({ call }) => call),
      ratio: middle(({ bare, call }) => call / bare),
      queries,
      page: {
        first: middle(({ page }) => page.first),
        full: middle(({ page }) => page.full),
        calls: middle(({ page }) => page.calls),
      },
    }
  } finally {
    await browser.close()
    await years.world.close()
  }
}
