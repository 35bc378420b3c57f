/**
 * Trials: attacks, kills, fuzz and permutations, which have a size. `npm test` takes a sample, the same in every run; `npm run trials` takes
 * them whole, as large as the goals ask, with another seed each time, and ends with a table of figures.
 */
import { appendFileSync } from 'node:fs'
import { it } from 'vitest'
import { type Random, seeded } from '../random.ts'

export const isFull = process.env.XINHAN_TRIALS === 'whole'
const providedSeed = Number(process.env.XINHAN_SEED ?? 1)
/** Where `npm run trials` collects the figures: a line of JSON each. */
const figures = process.env.XINHAN_TRIAL_FIGURES

export type TrialSize = {
  /** How often it is tried; where there is nothing to try here, or in a sample, it is skipped visibly. */
  full: number
  sample: number
  /** What is counted: `sheets`, `guesses`. */
  of: string
  /** The goal it shows, as the list of goals numbers it. */
  goal?: string
}
export type TrialRun = {
  readonly size: number
  readonly seed: number
  readonly random: Random
  /** Where more or less is tried than the size says. */
  tried(count: number): void
  /** A figure for the table. */
  says(text: string): void
}
export type TrialFigure = {
  name: string
  title: string
  goal: string
  of: string
  tried: number
  failed: boolean
  seconds: number
  seed: number
  says: string
}

/** A test that is called `trial <name>: <title>`, so that trials can be run without the tests beside them. */
export function trial(name: string, title: string, size: TrialSize, work: (run: TrialRun) => Promise<void> | void): void {
  it.skipIf((isFull ? size.full : size.sample) === 0)(
    `trial ${name}: ${title}`,
    { timeout: isFull ? 3_600_000 : 180_000 },
    async () => {
      const began = performance.now()
      const messages: string[] = []
      let tried = isFull ? size.full : size.sample
      const run: TrialRun = {
        size: tried,
        seed: providedSeed,
        random: seeded(providedSeed),
        tried: (count) => void (tried = count),
        says: (text) => void messages.push(text),
      }
      let failed = true
      try {
        await work(run)
        failed = false
      } catch (error) {
        if (error instanceof Error)
          error.message += `\n(trial ${name}, seed ${providedSeed}, ${run.size} of ${size.full} ${size.of}: XINHAN_SEED=${providedSeed} repeats it)`
        throw error
      } finally {
        const seconds = Math.round((performance.now() - began) / 100) / 10
        const { goal = '', of } = size
        const figure: TrialFigure = {
          name,
          title,
          goal,
          of,
          tried,
          failed,
          seconds,
          seed: providedSeed,
          says: messages.join('; '),
        }
        if (figures) appendFileSync(figures, `${JSON.stringify(figure)}\n`)
      }
    },
  )
}

/** Of cases that are a test each: the first few, or all. The file's trial is the file itself. */
export const some = <T>(all: readonly T[], sample: number): readonly T[] => (isFull ? all : all.slice(0, sample))
/** Of things that have a name and are looked at one by one: every `share`th, the same in every run; in trials each. */
export const isSelected = (name: string, share: number): boolean => isFull || mixed(name) % share === 0
function mixed(name: string): number {
  let number = 0
  for (const sign of name) number = (Math.imul(number, 31) + (sign.codePointAt(0) ?? 0)) >>> 0
  return number >>> 8
}
/** Of looks at the same (two widths, two colours): one, the same in every run and another one for the next name; in trials each. */
export function pickOne<T>(name: string, views: readonly T[]): readonly T[] {
  const selected = mixed(name) % views.length
  return isFull ? views : views.slice(selected, selected + 1)
}
/** `sample` of them, spread by chance and in their order; in trials all. For many things that are tried at each of many places. */
export function getSample<T>(random: Random, all: readonly T[], sample: number): readonly T[] {
  if (isFull || sample >= all.length) return all
  const selected = new Set(random.shuffled([...all.keys()]).slice(0, sample))
  return all.filter((_, at) => selected.has(at))
}
