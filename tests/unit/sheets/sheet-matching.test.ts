/**
 * Matching of rows with members, as a payroll clerk would do it. The last part is about sheets that were sorted,
 * shifted or damaged.
 */
import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MemberStatus } from '../../../server/contract/shared/schemas.ts'
import type { CheckColumn, Formula } from '../../../server/modules/sheets/rules/check/amount-issues.ts'
import type { CheckRow } from '../../../server/modules/sheets/rules/check/check-input.ts'
import {
  matchMember,
  type PayrollMember,
  Roster,
  type RowIdentity,
} from '../../../server/modules/sheets/rules/check/member-match.ts'
import { SheetCheck } from '../../../server/modules/sheets/rules/check/sheet-check.ts'
import { parseTypedCell, type RowCells } from '../../../server/rules/amounts.ts'
import { nothingStored } from '../../support/check.ts'
import { trial } from '../../support/run/trial.ts'

const index = (id_card: string) => createHash('sha256').update(id_card).digest('hex')
const card1 = '11010519491231002X'
const card2 = '440524198001010013'

type Options = Partial<Omit<PayrollMember, 'id_card_index'>> & { id_card?: string }
const person = (id: string, name: string, mobile: string, options: Options = {}): PayrollMember => {
  const { id_card, ...rest } = options
  const status: MemberStatus = 'active'
  return {
    id,
    name,
    mobile,
    employee_no: '',
    status,
    departments: '',
    in_scope: true,
    ...rest,
    id_card_index: id_card ? index(id_card) : null,
  }
}
const roster = new Roster([
  person('zhang', '张三', '13800000001', { employee_no: '0012', id_card: card1, departments: '财务部' }),
  person('li', '李四', '13800000002', { employee_no: '0013' }),
  person('wang1', '王芳', '13800000003', { employee_no: 'A7', departments: '财务部' }),
  person('wang2', '王芳', '13800000004', { employee_no: 'A8', departments: '销售部、培训组' }),
  person('chen', '陈晨', '13800000005', { status: 'left' }),
  person('zhao', '赵六', '13800000006', { in_scope: false, employee_no: '0066' }),
  person('smith', 'John Smith', '13800000007', { departments: '财务部' }),
  person('ouyang', '欧阳娜·古丽', '13800000008'),
  person('qian', '钱七', '13800000009'),
  // 13800000010 was the phone of 周八, who is terminated; now it belongs to 吴九.
  person('zhou', '周八', '13800000010', { status: 'left' }),
  person('wu', '吴九', '13800000010'),
  // Numbers that differ only in leading zeros.
  person('sun1', '孙敏', '13800000011', { employee_no: '0021' }),
  person('sun2', '孙敏', '13800000012', { employee_no: '021' }),
])
const format = (one: Partial<RowIdentity> & { name?: string }): RowIdentity => ({
  names: one.name === undefined ? [] : [one.name],
  mobile: '',
  id_card: '',
  employee_no: '',
  department: '',
  ...one,
})
const call = (one: Partial<RowIdentity> & { name?: string }, selected: string | null = null) => {
  const { member, issues } = matchMember(format(one), roster, selected, index)
  return [member?.id ?? '—', ...issues.map((finding) => `${finding.level === 'warning' ? '?' : ''}${finding.kind}`)].join(' ')
}

describe('member of a row', () => {
  it.each([
    ['phone and name', { name: '张三', mobile: '13800000001' }, 'zhang'],
    ['phone with spaces and +86', { name: '张三', mobile: '+86 138-0000-0001' }, 'zhang'],
    ['name with a space inside', { name: '张　三', mobile: '13800000001' }, 'zhang'],
    ['another middle dot', { name: '欧阳娜•古丽', mobile: '13800000008' }, 'ouyang'],
    ['letter case and order of a Latin name', { names: ['SMITH John', 'john smith'], mobile: '13800000007' }, 'smith'],
    ['ID card in lower case', { name: '张三', id_card: card1.toLowerCase() }, 'zhang'],
    ['employee number', { name: '李四', employee_no: '0013' }, 'li'],
    ['employee number whose zeros Excel has dropped', { name: '李四', employee_no: '13' }, 'li'],
    ['a unique name', { name: '李四' }, 'li'],
    ['a unique name with a number that the roster does not contain', { name: '钱七', employee_no: 'X99' }, 'qian'],
    ['a namesake distinguished by the phone', { name: '王芳', mobile: '13800000004' }, 'wang2'],
    ['a phone reassigned to a new member', { name: '吴九', mobile: '13800000010' }, 'wu'],
    ['a member selected manually', { name: '三儿', mobile: '13900000000' }, 'zhang', 'zhang'],
  ])('%s', (_, row, expected, selected = undefined as string | undefined) => {
    expect(call(row as Partial<RowIdentity>, selected ?? null)).toBe(expected)
  })

  it.each([
    ['a row without a name', { mobile: '13800000001' }, '— no_name'],
    ["another member's phone", { name: '张三', mobile: '13800000002' }, '— name_mismatch'],
    ['phone and number of two members', { name: '张三', mobile: '13800000001', employee_no: '0013' }, '— name_mismatch'],
    [
      'the right number with a phone that the roster does not contain',
      { name: '张三', employee_no: '0012', mobile: '13900000001' },
      '— name_mismatch',
    ],
    ['a wrong ID card of a member with a known one', { name: '张三', mobile: '13800000001', id_card: card2 }, '— name_mismatch'],
    ["the member's name with an unknown phone", { name: '李四', mobile: '13900000001' }, '— unknown_person'],
    ['an unknown member with a phone', { name: '孙十', mobile: '13900000001' }, '— unknown_person'],
    ['an unknown member without a phone', { name: '孙十' }, '— no_contact'],
    ["the member's name with a wrong number", { name: '张三', employee_no: '9999' }, '— no_contact'],
    ['two members of that name', { name: '王芳' }, '— several_persons'],
    ['two members of that name whose numbers both match without zeros', { name: '孙敏', employee_no: '21' }, '— no_contact'],
    ['a phone with a missing digit', { name: '李四', mobile: '1380000000' }, '— bad_mobile'],
    ['an invalid phone next to a valid number', { name: '李四', employee_no: '0013', mobile: '1380000000' }, 'li ?bad_mobile'],
    ['a wrong check digit', { name: '李四', mobile: '13800000002', id_card: '110105194912310021' }, 'li ?bad_id_card'],
    ['a terminated member', { name: '陈晨', mobile: '13800000005' }, '— left_person'],
    ['a terminated member, by name', { name: '陈晨' }, '— left_person'],
    ['a member out of scope', { name: '赵六', mobile: '13800000006' }, '— out_of_scope'],
    [
      'two namesakes with swapped phones, distinguished by the department',
      { name: '王芳', mobile: '13800000003', department: '销售部' },
      '— several_persons',
    ],
  ])('%s', (_, row, expected) => expect(call(row as Partial<RowIdentity>)).toBe(expected))

  it('never offers or names a member outside the administrator’s scope', () => {
    const { issues } = matchMember(format({ name: '张三', mobile: '13800000006' }), roster, null, index)
    expect(issues[0]?.kind).toBe('name_mismatch')
    expect(issues[0]?.message).not.toContain('赵六')
    expect(issues[0]?.candidates.map((one) => one.id)).toEqual(['zhang'])
  })
})

// Damaged sheets

const columns: CheckColumn[] = [
  { key: 'c0', label: '姓名', role: 'name' },
  { key: 'c1', label: '手机号', role: 'mobile' },
  { key: 'c2', label: '工号', role: 'employee_no' },
  { key: 'c3', label: '应发', role: 'gross' },
  { key: 'c4', label: '扣款', role: 'deduction' },
  { key: 'c5', label: '实发', role: 'net' },
]
type Line = { owner: number; texts: string[] }
const surnames = ['王', '李', '张', '刘']
const provided = ['芳', '伟', '娜', '敏', '静']

/** Members with few different names, so that namesakes are common. */
const staff = fc.uniqueArray(fc.record({ tail: fc.integer({ min: 0, max: 99_999_999 }), name: fc.nat({ max: 19 }) }), {
  selector: (one) => one.tail,
  minLength: 3,
  maxLength: 24,
})
const damage = fc.oneof(
  fc.record({ how: fc.constant('rows' as const), seed: fc.integer() }),
  fc.record({
    how: fc.constantFrom('sort', 'shift', 'shuffle', 'swap') as fc.Arbitrary<'sort'>,
    column: fc.integer({ min: 0, max: 5 }),
    seed: fc.integer(),
  }),
  fc.record({ how: fc.constant('digits' as const), column: fc.integer({ min: 1, max: 2 }), seed: fc.integer() }),
  fc.record({ how: fc.constant('zeros' as const), column: fc.constant(2), seed: fc.integer() }),
)

const rotate = (seed: number, n: number, at: number) => Math.abs(Math.imul(seed ^ (at * 2_654_435_761), 40_503)) % n

function spoil(lines: Line[], { how, column = 0, seed }: { how: string; column?: number; seed: number }): Line[] {
  const copy = lines.map((line) => ({ owner: line.owner, texts: [...line.texts] }))
  const shuffled = <T>(list: T[]) =>
    list
      .map((value, at) => ({ value, rank: rotate(seed, 1_000_003, at) }))
      .sort((a, b) => a.rank - b.rank)
      .map((one) => one.value)
  if (how === 'rows') return shuffled(copy)
  const values = copy.map((line) => line.texts[column] ?? '')
  const next =
    how === 'sort'
      ? values.toSorted()
      : how === 'shift'
        ? [...values.slice(1), values[0] ?? '']
        : how === 'shuffle'
          ? shuffled(values)
          : how === 'swap'
            ? values.map((_, at) => values[at === 0 ? 1 : at === 1 ? 0 : at] ?? '')
            : how === 'zeros'
              ? values.map((text) => text.replace(/^0+/, ''))
              : values.map((text, at) => (at % 3 === 0 ? text.slice(0, -1) + rotate(seed, 10, at) : text))
  return copy.map((line, at) => ({
    owner: line.owner,
    texts: line.texts.map((text, c) => (c === column ? (next[at] ?? '') : text)),
  }))
}

describe('sorted, shifted or damaged sheet', () => {
  const size = { full: 6_000, sample: 200, of: 'sheets', goal: 'G24' }
  trial('spoilt-sheets', 'sends no payslip to another member without a blocking error (U9)', size, (run) => {
    let blocked = 0
    let mapped = 0
    fc.assert(
      fc.property(staff, damage, fc.constantFrom('both', 'mobile', 'number'), (people, harm, keys) => {
        // With a single key, namesakes with swapped keys are indistinguishable, so names are unique then. No rule may
        // mask another one.
        const everybody = people.map((one, at) =>
          person(
            `p${at}`,
            `${surnames[one.name % 4]}${provided[Math.floor(one.name / 4)]}${keys === 'both' ? '' : String.fromCharCode(0x4e00 + at)}`,
            `138${String(one.tail).padStart(8, '0')}`,
            { employee_no: String(at + 1).padStart(5, '0') },
          ),
        )
        const lines = everybody.map((one, at): Line => {
          const [gross, accepted] = [500_000 + at * 7_919, 100 + at * 131]
          return {
            owner: at,
            texts: [
              one.name,
              keys === 'number' ? '' : one.mobile,
              keys === 'mobile' ? '' : one.employee_no,
              ...[gross, accepted, gross - accepted].map((fen) => (fen / 100).toFixed(2)),
            ],
          }
        })
        const formula: Formula = { plus: ['c3'], minus: ['c4'], net: 'c5', holds: lines.length, of: lines.length }
        const spoilt = spoil(lines, harm)
        // What the wage sheet itself would show: the formula is found again only where it still holds.
        const holds = spoilt.filter(
          ({ texts }) => Math.round((Number(texts[3]) - Number(texts[4]) - Number(texts[5])) * 100) === 0,
        ).length
        const match = holds * 5 >= lines.length * 4 ? { ...formula, holds } : null
        const check = new SheetCheck(
          { ...nothingStored, columns, formula: match, expected: formula },
          { roster: new Roster(everybody), lastMonth: null, alreadyPaid: new Set(), getIdCardIndex: index },
        )
        spoilt.forEach(({ texts }, at) => {
          const cells: Record<string, RowCells[string]> = {}
          texts.forEach((text, c) => {
            const cell = parseTypedCell(text, columns[c]?.role ?? 'info')
            if (cell) cells[`c${c}`] = cell
          })
          const row: CheckRow = { row: at + 2, cells, member_id: null, skipped: false, accepted: [] }
          check.add(row)
        })
        const { issues, rows } = check.finish({ same_file: null, getEarlierAmounts: () => [], taxIssues: [] })
        const bad = new Set(issues.filter((one) => one.level === 'error').map((one) => one.row))
        for (const row of rows) {
          if (bad.has(row.row) || bad.has(0)) {
            blocked += 1
            continue
          }
          mapped += 1
          const line = spoilt[row.row - 2]
          const owner = everybody[line?.owner ?? -1]
          // The paid member is the one of that row, and every amount of the payslip is that member's own.
          if (row.member_id !== owner?.id) throw new Error(`row ${row.row} of ${owner?.name} went to ${row.member_id}`)
          const own = lines[line?.owner ?? -1]?.texts.slice(3)
          if (line?.texts.slice(3).join() !== own?.join()) throw new Error(`row ${row.row} holds amounts of another row`)
        }
      }),
      { numRuns: run.size, seed: run.seed },
    )
    expect(blocked).toBeGreaterThan(0)
    expect(mapped).toBeGreaterThan(0)
  })
})
