/** Each table of layouts fails when its rule is taken out: 200 layouts a rule, in a process that loads the sources without it. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { trial } from '../support/run/trial.ts'
import type { Said } from '../support/sheets/removed/child.ts'
import { removed } from '../support/sheets/removed/rules.ts'

const child = join(import.meta.dirname, '../support/sheets/removed/child.ts')

// It edits source text, so it is a trial only: `npm run trials rules-removed`.
trial(
  'rules-removed',
  'without its rule layouts are read wrong',
  { whole: removed.length, sample: 0, of: 'rules' },
  async (run) => {
    const chosen = [...removed.keys()].slice(0, run.size)
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', child, ...chosen.map(String)], {
      maxBuffer: 10_000_000,
      env: { ...process.env, XINHAN_TRIAL_FIGURES: '' },
    })
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Said)
    // With nothing taken out every table holds.
    expect(said.filter(({ rule, why }) => rule === null && why !== '')).toEqual([])
    const unmissed = chosen.flatMap((at) => {
      const one = removed[at]
      const wrong = said.filter(({ rule }) => rule === one?.rule).reduce((sum, line) => sum + line.wrong, 0)
      return one && wrong === 0 ? [`${one.rule}: ${wrong} layouts are wrong without it`] : []
    })
    expect(unmissed).toEqual([])
    for (const { rule, name, wrong, of } of said) if (rule !== null && wrong > 0) run.says(`${rule}: ${name} ${wrong} of ${of}`)
  },
)
