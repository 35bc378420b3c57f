/**
 * `npm run bench`: figures as ratios to a baseline measured in the same run, never an assertion.
 * import: 10,000 rows × 40 columns from upload to stored, against the bare parse by the same reader plus a bare COPY of the same bytes.
 * list: p99 of the wage list under 16 clients. known: whether the time of an answer tells who is known. weight: JavaScript of the first load of three pages, as the browser fetched it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { startTestCluster } from '../kit/database.ts'
import { bareCopy, bareParse, tallSheet } from './baseline.ts'
import { tellsWhoIsKnown } from './known.ts'
import { importing, listTimes } from './server-side.ts'
import { weights } from './weights.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const ms = (value: number): string => `${Math.round(value)} ms`

const wanted = process.argv.slice(2)
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)

const cluster = await startTestCluster()
if (isWanted('import')) {
  const bytes = tallSheet(10_000, 40)
  const rounds: { parse: number; copy: number; whole: number }[] = []
  // Turn by turn, so that a busy moment of the machine falls on both sides of the ratio.
  await importing(bytes, 10_000, async (whole) => {
    rounds.push({ parse: await bareParse(bytes), copy: await bareCopy(cluster, 10_000, 40), whole })
  })
  const of = (name: 'parse' | 'copy' | 'whole'): string => ms(median(rounds.map((round) => round[name])))
  const ratio = median(rounds.map((round) => round.whole / (round.parse + round.copy)))
  say(
    `import     10,000 × 40 (${Math.round(bytes.length / 1024)} kB): ${of('whole')}; bare parse ${of('parse')} + bare COPY ${of('copy')}`,
  )
  say(`           ratio ${ratio.toFixed(2)} (goal ≤ 2.0), median of ${rounds.length} rounds`)
}
if (isWanted('list')) {
  const list = await listTimes()
  say(
    `list       ${list.rate} requests/s with 16 clients, p50 ${ms(list.p50)}, p99 ${ms(list.p99)}; alone ${list.alone.toFixed(1)} ms`,
  )
}
if (isWanted('known')) {
  for (const { flow, auc } of await tellsWhoIsKnown(2000))
    say(`known      ${flow.padEnd(28)} ${auc.toFixed(3)} (0.5 tells nothing, goal ≤ 0.55 and ≥ 0.45)`)
}
if (isWanted('weight')) {
  for (const page of await weights())
    say(`weight     ${page.name.padEnd(28)} ${page.kb.toFixed(1)} kB gzip of JavaScript (goal ≤ ${page.goal})`)
  const assets = join(import.meta.dirname, '../../dist/assets')
  const react = readdirSync(assets).map((name) => gzipSync(readFileSync(join(assets, name))).length)
  say(`           ${react.length} files in dist/assets, ${Math.round(react.reduce((a, b) => a + b, 0) / 1000)} kB gzip in all`)
}
await cluster.close()
process.exit(0)
