/**
 * Sheets without any earlier month (issue 19, 3; issue 10, 8): name and phone shifted together against everything else.
 * A contradiction to the roster blocks the sheet; where the roster cannot detect it (two members of one department),
 * nothing is sent before three members were reviewed.
 */
import { describe, expect, it } from 'vitest'
import { seeded } from '../../support/random.ts'
import { trial } from '../../support/run/trial.ts'
import { checkedFirst, firstSheet, identitySlips } from '../../support/sheets/first-sheets.ts'
import { blurred } from '../../support/sheets/pay-months.ts'
import { type Slip, slips } from '../../support/sheets/slips.ts'

const requested = ['shift', 'shift by one', 'swap', 'names sorted', 'figures sorted', 'block shift']
const ways = slips.filter(({ name }) => requested.includes(name))
type Count = { tried: number; notified: number; viewed: number; looked: number }

describe('sheet without any earlier month', () => {
  const sheets = { full: 1_000, sample: 120, of: 'sheets', goal: 'G24' }
  for (const noise of [0, 0.005, 0.03, 0.1])
    trial('first-slipped', `asks about every swap where amounts vary by ${noise * 100} %`, sheets, (run) => {
      const missed: string[] = []
      const counts = new Map<string, Count>()
      for (let at = 0; at < run.size; at++) {
        const how = ways[at % ways.length] as Slip
        const seed = run.seed * 100_000 + at
        const random = seeded(seed)
        const sheet = firstSheet(random, Math.floor(at / ways.length) % 2 === 0)
        if (noise > 0) for (const line of sheet.lines) line.pay = blurred(random, line.pay, noise)
        const due = new Map(sheet.lines.map(({ owner, pay }) => [owner, pay]))
        identitySlips(sheet, how, random)
        const wrong = sheet.lines.flatMap(({ owner, pay }, row) => (due.get(owner) === pay ? [] : [row + 2]))
        if (wrong.length === 0) continue
        const { issues, looked } = checkedFirst(sheet)
        const of = counts.get(how.name) ?? { tried: 0, notified: 0, viewed: 0, looked: 0 }
        counts.set(how.name, of)
        of.tried += 1
        if (issues.some(({ level }) => level === 'error')) of.notified += 1
        else if (wrong.some((row) => looked.has(row))) of.viewed += 1
        else if (looked.size > 0) of.looked += 1
        else missed.push(`${seed} ${how.name}: ${wrong.length} rows`)
      }
      run.says(
        [...counts]
          .map(
            ([name, { tried, notified, viewed, looked }]) =>
              `${name} ${tried}: ${notified} told, ${viewed} shown, ${looked} others shown`,
          )
          .join('; '),
      )
      // Where the whole sheet carries other names, it must be reported instead of relying on three reviews; where few
      // rows are wrong, they may be among the rows shown.
      for (const [name, { tried, notified, viewed }] of counts) {
        const isVisible = name === 'swap' || name === 'block shift'
        if ((isVisible ? notified + viewed : notified) < tried * (isVisible ? 0.85 : 0.95) - 2)
          missed.push(`${name}: ${notified} told and ${viewed} shown of ${tried}`)
      }
      expect(missed).toEqual([])
    })

  trial('first-good', 'stops at most 2 % of correct sheets', sheets, (run) => {
    const stopped: string[] = []
    let warned = 0
    for (let at = 0; at < run.size; at++) {
      const { issues } = checkedFirst(firstSheet(seeded(run.seed * 100_000 + at)))
      warned += issues.filter(({ kind }) => kind === 'roster_differs').length
      const errors = issues.flatMap(({ level, message }) => (level === 'error' ? [message] : []))
      if (errors.length > 0) stopped.push(`${run.seed * 100_000 + at} ${errors.join(' | ')}`)
    }
    run.says(`${stopped.length} stopped, ${warned} warnings`)
    if (stopped.length > run.size * 0.02) expect(stopped).toEqual([])
  })

  it('does not report two swapped members of one department, but requires a look at all members of a small sheet before sending', () => {
    const sheet = firstSheet(seeded(11))
    for (const line of sheet.lines) line.details = { department: '财务部', position: '会计', entry_on: '2020-01-02' }
    const all = {
      ...sheet,
      people: sheet.people.map((one) => ({ ...one, departments: '财务部', position: '会计', entry_on: '2020-01-02' })),
    }
    identitySlips(all, ways.find(({ name }) => name === 'swap') as Slip, seeded(11))
    const { issues, looked } = checkedFirst(all)
    expect(issues.filter(({ level }) => level === 'error')).toEqual([])
    expect(looked.size).toBe(all.lines.length)
  })
})
