/**
 * `npm run bench`: reports figures as ratios to a baseline measured in the same run, and never asserts.
 * - import: 1,000, 10,000 and 100,000 rows × 40 columns from upload to checked, against the bare parse of the same file
 * plus a bare COPY of its cells; the time of the first response, and the memory of the child process.
 * - check: the steps of the wizard that check 10,000 rows compared with last month's batch, against the first check of
 * the same round.
 * - roster: 20,000 members imported into 2,000 departments, against the bare parse of the same file plus a bare COPY of
 * its cells; and the undo.
 * - people [count, 20000]: the roster of a large company in a browser, from a click, a key or a wheel turn to the
 * paint.
 * - overload: requests served and rejected at once, twice and eight times the server's capacity.
 * - exports [rows, 100000] [people, 10000]: the memory of large exports above an idle server, and p99 of another user's
 * request meanwhile.
 * - mixed [seconds, 300]: all kinds of load at once: where the memory is, and opening a payslip during uploads of
 * others, against itself when idle.
 * - send [count, 10000]: payslips through a simulated platform, at its documented rate and without one, against a bare
 * loop of the same calls; the web meanwhile.
 * - tax: a year of wages of 10,000 employees with its steps, against a bare loop of the same integer arithmetic.
 * - charts [people, 10000]: five years of pay runs: the page of charts in a browser, and the call behind it against one
 * bare aggregate over the same payslips.
 * - find [people, 20000]: the search box over five years of pay runs, from a key to the paint of its results.
 * - list: p99 of the wage list under 16 clients.
 * - known: whether the time of a response reveals that a phone is known.
 * - weight: JavaScript of the first load of three pages, as the browser fetched it.
 * - phone: until a payslip is read on a slow connection with a slow phone, against a bare page on the same.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { startTestCluster } from '../support/run/database.ts'
import { bareCopy, bareParse, wageCells } from './baseline.ts'
import { checking } from './checking.ts'
import { exporting } from './exporting.ts'
import { importing, type Reading, type Round, reading } from './importing.ts'
import { tellsWhoIsExisting } from './known.ts'
import { type Memory, mixed } from './mixed.ts'
import { overload } from './overload/overload.ts'
import { largeRoster, type Waited } from './people.ts'
import { phone } from './phone.ts'
import { rostering } from './roster.ts'
import { sending } from './sending.ts'
import { taxing } from './tax.ts'
import { weights } from './weights.ts'
import { charting } from './years/charts.ts'
import { finding } from './years/find.ts'
import { listTimes } from './years/list.ts'

const format = (text: string): void => void process.stdout.write(`${text}\n`)
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const ms = (value: number): string => `${Math.round(value)} ms`

const requested = process.argv.slice(2)
const isRequested = (name: string): boolean => requested.length === 0 || requested.includes(name)

/** Numbers of rows, header included, as Excel counts. */
const heights = [
  [1_000, 7],
  [10_000, 5],
  [100_000, 2],
] as const

if (isRequested('tax')) notificationTax()
// Benchmarks of pure rules need no database.
if (requested.length > 0 && requested.every((name) => name === 'tax')) process.exit(0)
const cluster = await startTestCluster()
if (isRequested('import')) await notificationImport()
if (isRequested('check')) await notificationCheck()
if (isRequested('roster')) await notificationRoster()
if (isRequested('list')) {
  const list = await listTimes()
  format(
    `list       ${list.rate} requests/s with 16 clients, p50 ${ms(list.p50)}, p99 ${ms(list.p99)}; alone ${list.alone.toFixed(1)} ms`,
  )
}
if (isRequested('overload')) {
  for (const one of await overload())
    format(
      `overload   ${one.times === 0 ? 'what it can do' : `${one.times} times that`}: ${one.requested} asked, ${one.answered} answered, p50 ${ms(one.p50)}, p99 ${ms(one.p99)}; ${one.refused} refused, p50 ${ms(one.error_p50)}, p99 ${ms(one.error_p99)}; ${Math.round(one.memory)} MB more
           inside the server ${ms(one.inside)} in the mean, refused in ${one.refused_inside.toFixed(2)} ms, the generator itself is ${ms(one.late)} late (p99); cores: server ${one.cores.server.toFixed(2)}, database ${one.cores.database.toFixed(2)}, generator ${one.cores.generator.toFixed(2)}, others ${one.cores.others.toFixed(2)}`,
    )
}
// Takes minutes, so it runs only by name: at the rate of Lark (platform/chat/lark/messages.ts), for one minute.
if (requested.includes('send')) {
  const people = Number(requested.find((word) => /^\d+$/.test(word)) ?? 10_000)
  const sent = await sending(people, { count: 1000, perMs: 60_000 })
  format(
    `send       ${people.toLocaleString('en')} slips, ${median(sent.rounds.map(({ ratio }) => ratio)).toFixed(2)} of a bare loop of the same calls (${sent.rounds.map((one) => `${one.ratio.toFixed(2)}: ${ms(one.full_ms)} for ${ms(one.bare_ms)}`).join(', ')}), ${median(sent.rounds.map(({ of_processor }) => of_processor)).toFixed(2)} of its time of the processor; at a documented pace ${(100 * sent.of_rate).toFixed(1)} % of it
           the wage list meanwhile: p99 ${ms(sent.busy_p99)}, while nothing is sent ${ms(sent.idle_p99)}`,
  )
}
// This benchmark takes a minute or two, so it runs only by name.
if (requested.includes('people')) {
  const people = Number(requested.find((word) => /^\d+$/.test(word)) ?? 20_000)
  const { import_ms, waited } = await largeRoster(people)
  format(`people     ${people.toLocaleString('en')} people imported after ${ms(import_ms)} (making the file is in it)`)
  const spread = ({ count, p50, p95, most }: Waited['paint']): string =>
    `${count} × p50 ${ms(p50)}, p95 ${ms(p95)}, most ${ms(most)}`
  for (const { what, paint, there, cpu, calls } of waited)
    format(
      `           ${what.padEnd(40)} ${spread(paint)} to the next paint${there ? `; ${spread(there)} until it stands there` : ''}; ${cpu.toFixed(1)} ms of the page's processor an event; ${calls} calls`,
    )
}
// These benchmarks take a minute each, so they run only by name.
if (requested.includes('charts')) {
  const people = Number(requested.find((word) => /^\d+$/.test(word)) ?? 10_000)
  const one = await charting(people, 7)
  format(
    `charts     ${people.toLocaleString('en')} people × 60 months put there in ${ms(one.building)}; the first look at a year ${ms(one.preparing)}; then all its charts ${ms(one.call)} (${one.queries} statements), bare aggregate over its slips ${ms(one.bare)}, ratio ${one.ratio.toFixed(2)} (goal ≤ 3)
           the page: first chart after ${ms(one.page.first)} (goal ≤ 1,500 ms), the last after ${ms(one.page.full)}, ${one.page.calls} calls for figures; medians of 7`,
  )
}
if (requested.includes('find')) {
  const people = Number(requested.find((word) => /^\d+$/.test(word)) ?? 20_000)
  const one = await finding(people)
  format(
    `find       ${people.toLocaleString('en')} people, ${one.runs} pay runs of five years, ${one.slips.toLocaleString('en')} slips`,
  )
  for (const { what, count, p50, p95, most, server } of one.waited)
    format(
      `           ${what.padEnd(24)} ${count} keys: p50 ${ms(p50)}, p95 ${ms(p95)}, most ${ms(most)} from the key to the paint of its answer (goal of p95 ≤ 100 ms); the call alone p95 ${ms(server)}`,
    )
}
// This benchmark takes five minutes, so it runs only by name.
if (requested.includes('mixed')) {
  const one = await mixed(Number(requested.find((word) => /^\d+$/.test(word)) ?? 300))
  const mb = (memory: Memory): string =>
    Object.entries(memory)
      .map(([name, size]) => `${name} ${Math.round(size)}`)
      .join(', ')
  format(
    `mixed      opening a slip alone p50 ${ms(one.idle.p50)} p99 ${ms(one.idle.p99)} (${one.idle.count}), beside ${one.uploads} uploads p50 ${ms(one.comparison.p50)} p99 ${ms(one.comparison.p99)} (${one.comparison.count}): ${(one.comparison.p99 / one.idle.p99).toFixed(2)} × (goal ≤ 2)`,
  )
  format(`           MB before: ${mb(one.before)}`)
  format(`           half way:  ${mb(one.middle)}`)
  format(`           at the end: ${mb(one.after)}; at most ${Math.round(one.most)} (goal ≤ 300)`)
  format(`           15 s later: ${mb(one.quiet)}`)
}
if (isRequested('known')) {
  for (const { flow, auc } of await tellsWhoIsExisting(2000))
    format(`known      ${flow.padEnd(28)} ${auc.toFixed(3)} (0.5 tells nothing, goal ≤ 0.55 and ≥ 0.45)`)
}
if (isRequested('weight')) {
  for (const page of await weights())
    format(`weight     ${page.name.padEnd(28)} ${page.kb.toFixed(1)} kB gzip of JavaScript (budget ${page.budget})`)
  const assets = join(import.meta.dirname, '../../dist/assets')
  const react = readdirSync(assets)
    .filter((name) => !/\.(br|gz)$/.test(name))
    .map((name) => gzipSync(readFileSync(join(assets, name))).length)
  format(`           ${react.length} files in dist/assets, ${Math.round(react.reduce((a, b) => a + b, 0) / 1000)} kB gzip in all`)
}
if (isRequested('exports')) {
  const [rows = 100_000, people = 10_000] = requested.map(Number).filter((count) => count > 0)
  for (const { what, seconds, file_mb, before_mb, above_mb, idle, comparison } of await exporting(rows, people))
    format(
      `exports    ${what}: ${seconds.toFixed(1)} s, ${file_mb.toFixed(1)} MB; memory +${above_mb.toFixed(0)} MB above ${before_mb.toFixed(0)} (goal ≤ 80); p99 of others ${ms(comparison.p99)} against ${ms(idle.p99)} idle: ${(comparison.p99 / idle.p99).toFixed(2)} (goal ≤ 2), p50 ${ms(comparison.p50)} · ${ms(idle.p50)}`,
    )
}
if (isRequested('phone')) {
  for (const { channel, paint, viewed, full, best, ratio, goal } of await phone(5))
    format(
      `phone      ${channel.padEnd(28)} first paint ${ms(paint)}, what counts ${ms(viewed)} (best ${ms(best)}), all of it ${ms(full)}, ${ratio.toFixed(2)} × the bare page${goal}`,
    )
}
await cluster.close()
process.exit(0)

function notificationTax(): void {
  const rounds = taxing(10_000, 7)
  const middle = (figure: (one: (typeof rounds)[number]) => number): number => median(rounds.map(figure))
  format(
    `tax        10,000 people × 12 months, ${middle((one) => one.steps).toLocaleString('en')} steps, median of ${rounds.length}: ${ms(middle((one) => one.engine))}, bare loop ${ms(middle((one) => one.bare))}, ratio ${middle((one) => one.engine / one.bare).toFixed(2)} (goal ≤ 5); without asking for the steps ${middle((one) => one.figures / one.bare).toFixed(2)}`,
  )
}

async function notificationImport(): Promise<void> {
  await importing(async (of) => {
    const perRow = new Map<number, number>()
    for (const [rows, times] of heights) {
      const { bytes, round } = await of(rows - 1)
      const rounds: (Round & Reading & { parse: number; own: number; copy: number })[] = []
      // The first round warms up and is not reported.
      await round()
      // Both sides alternate, so that a busy moment of the machine affects both sides of the ratio.
      while (rounds.length < times)
        rounds.push({
          parse: await bareParse(bytes, 'hucre'),
          ...(await round()),
          own: await bareParse(bytes, 'ours'),
          copy: await bareCopy(cluster, wageCells(rows, 40)),
          ...(await reading(bytes)),
        })
      const middle = (figure: (one: (typeof rounds)[number]) => number): number => median(rounds.map(figure))
      const full = ({ upload, check }: Round) => upload + check
      perRow.set(rows, middle(full) / rows)
      const kb = Math.round(bytes.length / 1000)
      format(
        `import     ${rows.toLocaleString('en')} × 40 (${kb} kB), median of ${times}: upload ${ms(middle((one) => one.upload))} + check ${ms(middle((one) => one.check))} = ${ms(middle(full))}`,
      )
      format(
        `           bare parse ${ms(middle((one) => one.parse))} (our own reader ${ms(middle((one) => one.own))}) + bare COPY ${ms(middle((one) => one.copy))}`,
      )
      const goal = rows === 10_000 ? ' (goal ≤ 1.5)' : ''
      format(
        `           ratio to checked ${middle((one) => full(one) / (one.parse + one.copy)).toFixed(2)}${goal}, upload alone ${middle((one) => one.upload / (one.parse + one.copy)).toFixed(2)}; beside our own reader ${middle((one) => full(one) / (one.own + one.copy)).toFixed(2)}`,
      )
      const peak = Math.round(Math.max(...rounds.map(({ peak_mb }) => peak_mb)))
      format(
        `           understood after ${ms(middle((one) => one.first))} (goal ≤ 1,000 ms), last row after ${ms(middle((one) => one.full))}; the child has ${peak} MB at most${rows === 10_000 ? ' (goal ≤ 256)' : ''}`,
      )
    }
    const [some = Number.NaN, many = Number.NaN] = [perRow.get(10_000), perRow.get(100_000)]
    format(`           a row of 100,000 takes ${(many / some).toFixed(2)} × a row of 10,000 (goal ≤ 1.2)`)
  })
}

async function notificationCheck(): Promise<void> {
  const rounds = await checking(10_000, 3)
  const [first] = rounds
  if (!first) return
  for (const { step } of first) {
    const of = (round: typeof first, name: string): number => round.find((one) => one.step === name)?.took ?? Number.NaN
    const took = median(rounds.map((round) => of(round, step)))
    const getCpu = (round: typeof first, name: string): number => round.find((one) => one.step === name)?.cpu ?? Number.NaN
    const cpu = median(rounds.map((round) => getCpu(round, step)))
    const cpu_ratio = median(rounds.map((round) => getCpu(round, step) / getCpu(round, 'first check')))
    const ratio = median(rounds.map((round) => of(round, step) / of(round, 'first check')))
    const goal = step === 'one fix' || step === 'one acceptance' ? ' (goal ≤ 300 ms)' : ''
    format(
      `check      10,000 × 40 beside last month: ${step.padEnd(18)} ${ms(took)}, ${ratio.toFixed(2)} × the first check${goal}; of the server's processor ${ms(cpu)}, ${cpu_ratio.toFixed(2)} ×`,
    )
  }
}

async function notificationRoster(): Promise<void> {
  const people = 20_000
  const rounds: { plan: number; carry: number; first: number; undo: number; parse: number; copy: number }[] = []
  await rostering(people, async ({ bytes, cells, round }) => {
    // The first round warms up and is not reported.
    await round()
    while (rounds.length < 3)
      rounds.push({ parse: await bareParse(bytes, 'hucre'), ...(await round()), copy: await bareCopy(cluster, cells) })
  })
  const middle = (figure: (one: (typeof rounds)[number]) => number): number => median(rounds.map(figure))
  format(
    `roster     ${people.toLocaleString('en')} people, 2,000 departments, median of ${rounds.length}: planned ${ms(middle((one) => one.plan))} + carried out ${ms(middle((one) => one.carry))}, taken back ${ms(middle((one) => one.undo))}; first word of it after ${ms(middle((one) => one.first))} (goal ≤ 1,000 ms)`,
  )
  format(
    `           bare parse ${ms(middle((one) => one.parse))} + bare COPY ${ms(middle((one) => one.copy))}: ratio ${middle((one) => (one.plan + one.carry) / (one.parse + one.copy)).toFixed(2)} (goal ≤ 3)`,
  )
}
