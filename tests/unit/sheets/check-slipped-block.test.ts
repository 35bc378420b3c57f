/**
 * A few columns of the last rows of a small sheet are shifted up by a row, among rows of new employees: a review is
 * required, at wrong rows.
 */
import { expect, it } from 'vitest'
import { seeded } from '../../support/random.ts'
import { blurred, checkedWithComparison, isEqual, lookedComparison, twoMonths } from '../../support/sheets/pay-months.ts'
import { slips } from '../../support/sheets/slips.ts'

it.each([
  ['two rows of three columns suffice', 500_776, 0.1],
  ['the next amounts belong to new members, so nothing can be decided', 3_500_125, 0.1],
  ['nine known members', 3_200_566, 0.03],
  ['one column begins two rows before the other', 3_600_020, 0.03],
  ['the same where all amounts vary by a tenth', 3_600_020, 0.1],
])('%s', (_, seed, noise) => {
  const random = seeded(seed)
  const months = twoMonths(random)
  for (const line of months.lines) line.pay = blurred(random, line.pay, noise)
  const due = new Map(months.lines.map(({ owner, pay }) => [owner, pay]))
  slips.find(({ name }) => name === 'a block of columns shifted')?.slip(months.lines, random, months.keys)
  const wrong = months.lines.flatMap(({ owner, pay }, at) => (isEqual(pay, due.get(owner) ?? pay) ? [] : [at + 2]))
  const checked = checkedWithComparison(months, months.before)
  const isNotified = checked.issues.some(({ level }) => level === 'error')
  expect(isNotified || lookedComparison(months, checked).some((row) => wrong.includes(row))).toBe(true)
})
