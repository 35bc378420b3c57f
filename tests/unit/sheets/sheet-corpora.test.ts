/**
 * Every spreadsheet below a folder, read by our reader and by another one, cell by cell: `XINHAN_CORPORA=<folder> npm
 * run trials corpora`. The folder holds the test files of spreadsheet libraries; they are not part of the project.
 * Where both readers differ, a class states which one is right and why.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { sheetLimits, unreadableMessages } from '../../../server/spreadsheets/read/unreadable-error.ts'
import { trial } from '../../support/run/trial.ts'
import { type Difference, readComparison } from '../../support/sheets/beside.ts'
import { csvComparison } from '../../support/sheets/csv-beside.ts'

const folder = process.env.XINHAN_CORPORA
const named = (name: RegExp) =>
  folder
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => name.test(path) && statSync(join(folder, path)).size <= sheetLimits.file_bytes)
        .toSorted()
    : []
const files = named(/\.(?:xlsx|xlsm|xltx|xls|ods)$/i)
const texts = named(/\.(?:csv|tsv)$/i)

/** Differences in which our reader is right, as the files show. */
const explained: [why: string, is: (difference: Difference, file: string) => boolean][] = [
  ['half a pair of signs is nobody’s text', ({ theirs }) => /[\ud800-\udfff]/.test(theirs) || theirs.startsWith('\uf61c')],
  [
    'they leave out the runs beside a text, or the blanks at its end',
    ({ ours, theirs }) => ours.startsWith(theirs) && theirs !== '',
  ],
  ['they leave out what stands in a covered cell', ({ kind }, file) => kind.endsWith(': nothing') && file.endsWith('.ods')],
  ['an error is shown, they read its zero', ({ kind }) => kind === 'error: number'],
  ['they forget parts of a second', ({ ours, theirs }) => Math.abs(Number(ours) - Number(theirs)) < 2 / 86_400],
  ['the 29 February of 1900 never was', ({ theirs }) => Math.floor(Number(theirs)) === 60],
  ['true or false without a value is nothing', ({ kind }) => kind === 'nothing: boolean'],
  [
    'a sheet without a link is said, they guess which part it is',
    ({ kind, broken }) => kind.startsWith('nothing') && broken === true,
  ],
  ['they do not count an empty shared text, and all behind it shift', ({ shifted }) => shifted === true],
  [
    'a note beside the paragraphs is part of their text',
    ({ kind, ours, theirs }) => kind === 'text: text' && ours.replace(/\s/g, '') === theirs.replace(/\s/g, ''),
  ],
]

trial(
  'corpora',
  'reads workbooks as another reader reads them',
  { full: files.length, sample: files.length, of: 'files' },
  async (run) => {
    const classes = new Map<string, number>()
    const count = (name: string, by = 1) => void classes.set(name, (classes.get(name) ?? 0) + by)
    const wrong: unknown[] = []
    let cells = 0
    let slowest = 0
    for (const file of files) {
      const match = await readComparison(readFileSync(join(folder ?? '', file)))
      cells += match.cells
      slowest = Math.max(slowest, match.ms)
      if (match.crashed || match.ms > 5_000) wrong.push([file, match.ms, match.refused])
      if (match.refused !== null && match.refused !== unreadableMessages.no_data)
        count(`refused: ${match.refused.slice(0, 12)}${match.theirsFailed ? ' (so do they)' : ''}`)
      for (const difference of match.differences) {
        const why = explained.find(([, is]) => is(difference, file))?.[0]
        if (why === undefined) wrong.push([file, difference])
        else count(why)
      }
    }
    run.says(`${cells} cells, slowest ${Math.round(slowest)} ms`)
    for (const [name, times] of [...classes].toSorted()) run.says(`${name}: ${times}`)
    expect(wrong).toEqual([])
  },
)

trial(
  'corpora-csv',
  'splits texts as another reader splits them',
  { full: texts.length, sample: texts.length, of: 'files' },
  async (run) => {
    const classes = new Map<string, number>()
    const count = (name: string) => void classes.set(name, (classes.get(name) ?? 0) + 1)
    const wrong: unknown[] = []
    let cells = 0
    for (const file of texts) {
      const match = await csvComparison(readFileSync(join(folder ?? '', file)))
      cells += match.cells
      if (match.crashed) wrong.push([file, match.refused])
      else if (match.refused !== null) count(`refused: ${match.refused.slice(0, 12)}`)
      // The end of such a cell is undefined.
      else if (match.difference !== null && match.hasBrokenQuotes) count('broken quotes')
      else if (match.difference !== null) wrong.push([file, match.difference])
      else count('the same')
    }
    run.says(`${cells} cells`)
    for (const [name, times] of [...classes].toSorted()) run.says(`${name}: ${times}`)
    expect(wrong).toEqual([])
  },
)
