/**
 * Runs tables of layouts as they are and with one rule after the other taken out, each time in modules of their own. Says a line of JSON each: how
 * many layouts were wrong. `node child.ts <numbers of rules, or nothing for all>`.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Collected } from './collecting.ts'
import { type Removed, removed } from './rules.ts'

export type Said = {
  readonly rule: string | null
  readonly name: string
  readonly wrong: number
  readonly of: number
  readonly why: string
}

const root = join(import.meta.dirname, '../../../..')
const files = ['sheet-rules', 'sheet-shapes', 'sheet-about', 'sheet-beside-and-below', 'sheet-total-rows']
const marked = '?without='
const isOurs = (url: string): boolean => url.startsWith('file:') && !url.includes('/node_modules/')

registerHooks({
  resolve(specifier, context, next) {
    const mark = context.parentURL?.split(marked)[1]
    if (mark === undefined) return next(specifier, context)
    const found = next(
      specifier === 'vitest' ? pathToFileURL(join(import.meta.dirname, 'collecting.ts')).href : specifier,
      context,
    )
    return isOurs(found.url) ? { ...found, url: `${found.url}${marked}${mark}` } : found
  },
  load(url, context, next) {
    const [path = '', mark] = url.split(marked)
    const one = mark === undefined || !isOurs(url) ? undefined : removed[Number(mark)]
    if (!one || fileURLToPath(path) !== join(root, 'server', one.file)) return next(url, context)
    return { ...next(url, context), source: without(one, readFileSync(fileURLToPath(path), 'utf8')) }
  },
})

function without({ rule, file, from, to }: Removed, source: string): string {
  const [before = '', after, ...more] = source.split(from)
  if (after === undefined || more.length > 0)
    throw new Error(`server/${file} has ${after === undefined ? 'no' : 'more than one'} ${from} (${rule})`)
  return `${before}${to}${after}`
}

async function tables(mark: number): Promise<Map<string, Collected>> {
  const url = (path: string) => `${pathToFileURL(join(root, path)).href}${marked}${mark}`
  for (const name of files) await import(url(`tests/unit/${name}.test.ts`))
  const { collected } = (await import(url('tests/support/sheets/removed/collecting.ts'))) as { collected: Collected[] }
  return new Map(collected.map((one) => [/^trial ([\w-]+):/.exec(one.title)?.[1] ?? one.title, one]))
}

async function say(rule: string | null, name: string, table: Collected | undefined): Promise<void> {
  let said: Said = { rule, name, wrong: 0, of: 0, why: table ? '' : 'there is no such table' }
  try {
    await table?.run()
  } catch (error) {
    const [, wrong = '0', of = '0', why = ''] = /^(\d+) of (\d+): (.*)/.exec(String((error as Error).message)) ?? []
    said = { ...said, wrong: Number(wrong), of: Number(of), why: why || String(error).slice(0, 200) }
  }
  process.stdout.write(`${JSON.stringify(said)}\n`)
}

const wanted = process.argv.slice(2).map(Number)
const chosen = wanted.length > 0 ? wanted : [...removed.keys()]
// With nothing taken out every table holds: what fails below fails for want of its rule.
const whole = await tables(removed.length)
for (const name of new Set(chosen.flatMap((at) => removed[at]?.cases ?? []))) await say(null, name, whole.get(name))
for (const at of chosen) {
  const one = removed[at]
  if (!one) continue
  const without = await tables(at)
  for (const name of one.cases) await say(one.rule, name, without.get(name))
}
