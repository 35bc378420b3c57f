/** No rule without a source, a paragraph and an example; no table without a rule; and the page about them is current. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lawRules } from '../../../server/rules/law/rules.ts'
import { currentLaw } from '../../../server/rules/law/tables/law.ts'
import { getCases } from './payroll/recheck.ts'
import { getTables, page, ruleNames, ruleTable, visibleBy } from './payroll/rule-table.ts'

const visible = visibleBy()

describe('tax rules', () => {
  it.each(ruleNames)('%s has a paragraph, a source and a case based on it', (name) => {
    const { title, paragraph, source } = lawRules[name]
    expect(title).toMatch(/[\u4e00-\u9fff]{2}/)
    expect(paragraph).toMatch(/^§\d/)
    // A document, and the place in it.
    expect(source).toMatch(/(号|法（2018年修正）|条例|社会保险法|可设置）)/)
    expect(source).toMatch(/第[一二三四五六七八九十]+条|税率表|计算顺序/)
    expect(visible.get(name) ?? []).not.toEqual([])
  })
  it('detects a rule without a case', () => {
    expect(visibleBy(getCases('examples')).has('residence_change')).toBe(false)
    expect(visible.has('residence_change')).toBe(true)
  })
  it('reads every table by a rule', () => {
    const read = new Set(ruleNames.flatMap((name) => [...getTables(name)]))
    expect(Object.keys(currentLaw).filter((name) => !read.has(name as keyof typeof currentLaw))).toEqual([])
  })
  it('keeps docs/tax-rules.md current: npm run tax-rules', () => {
    expect(readFileSync(page, 'utf8')).toBe(ruleTable())
  })
})
