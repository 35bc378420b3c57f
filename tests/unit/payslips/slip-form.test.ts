/**
 * The canonical form of a payslip as in docs/slip-form.md: the example of the page, and that no visible change leaves
 * the hash unchanged.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { canonicalizePayslip, hashPayslip, type VersionedPayslip } from '../../../server/modules/payslip-records/index.ts'

const page = readFileSync(new URL('../../../docs/slip-form.md', import.meta.url), 'utf8')
const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
const [, notified = ''] = /Its hash: `([^`]*)`/.exec(page) ?? []

const line = { kind: 'money', is_deduction: false, note: '' } as const
const visible: VersionedPayslip = {
  slip_id: '01930000-0000-7000-8000-000000000001',
  version: 2,
  slip: {
    hint: '如有疑问请联系人事',
    title: '10月工资',
    month: '2026-10',
    corp_name: '示例科技有限公司',
    name: '张伟',
    net: { label: '实发工资', fen: 812345 },
    totals: { gross_fen: 900000, deduction_fen: 87655 },
    groups: [
      {
        name: '应发',
        total_fen: 900000,
        cells: [
          { ...line, key: 'c3', label: '基本工资', value: '8,000.00', fen: 800000 },
          { ...line, key: 'c4', label: '绩效', value: '1000', fen: 100000, note: '含季度奖' },
        ],
      },
      {
        name: '',
        total_fen: null,
        cells: [
          { ...line, key: 'c7', label: '社保', value: '876.55', fen: 87655, is_deduction: true },
          { ...line, key: 'c9', label: '备注', kind: 'text', value: '满勤', fen: null },
        ],
      },
    ],
  },
}

describe('documentation page', () => {
  it('the example on the documentation page is the form of that payslip', () =>
    expect(JSON.parse(canonicalizePayslip(visible))).toEqual(JSON.parse(example)))
  it('the hash on the documentation page is the documented one', () => {
    expect(hashPayslip(visible)).toBe(notified)
    expect(createHash('sha256').update(canonicalizePayslip(visible), 'utf8').digest('base64url')).toBe(notified)
  })
})

/** Yields the value once for each position in it, changed there. */
function* changed(value: unknown): Generator {
  if (typeof value === 'string') yield `${value} `
  else if (typeof value === 'number') yield value + 1
  else if (typeof value === 'boolean') yield !value
  else if (value === null) yield 'something'
  else if (Array.isArray(value)) {
    yield value.slice(1)
    if (value.length > 1) yield value.toReversed()
    for (const [at, one] of value.entries()) for (const other of changed(one)) yield value.with(at, other)
  } else
    for (const [key, one] of Object.entries(value as object))
      for (const other of changed(one)) yield { ...(value as object), [key]: other }
}

describe('payslip hash', () => {
  it('changes the payslip hash with any visible value', () => {
    const unseen = /"(key|kind)":/
    const viewed = JSON.parse(JSON.stringify(visible, (key, value) => (key === 'key' || key === 'kind' ? undefined : value)))
    const all = [...changed(viewed)].map((one) => hashPayslip(one as VersionedPayslip))
    expect(all.length).toBeGreaterThan(40)
    expect(new Set([...all, hashPayslip(visible)]).size).toBe(all.length + 1)
    expect(canonicalizePayslip(visible)).not.toMatch(unseen)
  })
  it('computes the payslip hash independently of field order and additional response fields', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, one]) => [key, turned(one)]),
      )
    }
    const more = { ...visible, slip: { ...visible.slip, notified_since: 'tomorrow' } }
    expect(hashPayslip(turned(more) as VersionedPayslip)).toBe(notified)
  })
})
