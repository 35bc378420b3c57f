/**
 * Trials: attacks, kills, fuzz and permutations, which have a size. `npm test` runs a sample, the same in every run;
 * `npm run trials` runs them in full, as large as the goals require, with another seed each time, and ends with a table
 * of figures.
 */
import { appendFileSync } from 'node:fs'
import { it } from 'vitest'
import { type Random, seeded } from '../random.ts'

export const isFull = process.env.XINHAN_TRIALS === 'whole'
const providedSeed = Number(process.env.XINHAN_SEED ?? 1)
/** The file in which `npm run trials` collects the figures, one line of JSON each. */
const figures = process.env.XINHAN_TRIAL_FIGURES

export type TrialSize = {
  /** The number of attempts. Zero, in full or in a sample, is skipped visibly. */
  full: number
  sample: number
  /** The unit of the count: `sheets`, `guesses`. */
  of: string
  /** The goal that it demonstrates, by its number in the list of goals. */
  goal?: string
}
export type TrialRun = {
  readonly size: number
  readonly seed: number
  readonly random: Random
  /** Sets the number of attempts if it differs from the size. */
  tried(count: number): void
  /** Adds a figure to the table. */
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

/** Defines a test named `trial <name>: <title>`, so that trials can run without the other tests. */
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

/** Returns the first few cases that are a test each; in trials all. The whole file is then the trial. */
export const some = <T>(all: readonly T[], sample: number): readonly T[] => (isFull ? all : all.slice(0, sample))
/** Selects every `share`th of many named things, the same in every run; in trials all. */
export const isSelected = (name: string, share: number): boolean => isFull || mixed(name) % share === 0
function mixed(name: string): number {
  let number = 0
  for (const sign of name) number = (Math.imul(number, 31) + (sign.codePointAt(0) ?? 0)) >>> 0
  return number >>> 8
}
/**
 * Returns one of several equivalent views (two widths, two color schemes), the same in every run and another one for
 * the next name; in trials all.
 */
export function pickOne<T>(name: string, views: readonly T[]): readonly T[] {
  const selected = mixed(name) % views.length
  return isFull ? views : views.slice(selected, selected + 1)
}
/**
 * Returns a random `sample` of the values in their order; in trials all. For many values that are tried at each of many
 * places.
 */
export function getSample<T>(random: Random, all: readonly T[], sample: number): readonly T[] {
  if (isFull || sample >= all.length) return all
  const selected = new Set(random.shuffled([...all.keys()]).slice(0, sample))
  return all.filter((_, at) => selected.has(at))
}
