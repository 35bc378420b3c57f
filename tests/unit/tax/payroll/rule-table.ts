/**
 * Every rule with its paragraph, its documents, the rows it reads and cases based on it: generates the page
 * `docs/tax-rules.md`.
 */

import { type LawRuleName, lawRules } from '../../../../server/rules/law/rules.ts'
import { defaultTaxSettings } from '../../../../server/rules/law/settings.ts'
import { currentLaw, type LawTableName } from '../../../../server/rules/law/tables/law.ts'
import { computeCase } from '../../../law/cases/run-case.ts'
import { allCases, type PayrollCase } from './recheck.ts'

export const ruleNames = Object.keys(lawRules) as LawRuleName[]
export const page = new URL('../../../../docs/tax-rules.md', import.meta.url)

/** Cases by the rules on which their steps are based. */
export function visibleBy(cases: readonly PayrollCase[] = allCases()): Map<LawRuleName, string[]> {
  const matches = new Map<LawRuleName, string[]>()
  for (const { name, input } of cases)
    for (const rule of new Set(computeCase(input).steps.map((step) => step.rule)))
      matches.set(rule, [...(matches.get(rule) ?? []), name])
  return matches
}

const cell = (text: string): string => text.replaceAll('|', '\\|')
const line = (...cells: string[]): string => `| ${cells.map(cell).join(' | ')} |`
const months = ({ valid_from, valid_to }: { valid_from: string; valid_to: string | null }): string =>
  `${valid_from} – ${valid_to ?? ''}`

/** The tables that a rule reads. */
export const getTables = (name: LawRuleName): readonly LawTableName[] => lawRules[name].tables

export function ruleTable(): string {
  const visible = visibleBy()
  const rows = ruleNames.map((name) => {
    const { title, paragraph, source } = lawRules[name]
    const examples = visible.get(name) ?? []
    const more = examples.length > 2 ? ` (${examples.length})` : ''
    return line(
      title,
      paragraph,
      source,
      getTables(name)
        .map((table) => `\`${table}\``)
        .join(' '),
      `${examples.slice(0, 2).join('；')}${more}`,
    )
  })
  const tables = Object.entries(currentLaw).flatMap(([name, table]) =>
    table.rows.map((row, at) => line(at === 0 ? `\`${name}\`` : '', months(row), row.document)),
  )
  const choices = Object.entries(defaultTaxSettings).map(([name, value]) =>
    line(`\`${name}\``, typeof value === 'string' ? value : JSON.stringify(value)),
  )
  return `# The rules of payroll tax

Made of the code by \`npm run tax-rules\`; a test fails when it is not current, when a rule has no document, or when no case rests on it. Paragraphs
(§) are those of \`payroll/tax-rules.md\`; the figures stand in \`server/rules/law/tables/figures.json\`; examples are cases of \`tests/unit/tax/payroll/\`
whose steps rest on the rule (how many there are in brackets).

| rule | § | rests on | tables | examples |
|---|---|---|---|---|
${rows.join('\n')}

## Rows of the tables

| table | months of payment | document |
|---|---|---|
${tables.join('\n')}

## Choices where the law is silent

Settings with what holds where nobody chose (\`server/rules/law/settings.ts\`).

| setting | default |
|---|---|
${choices.join('\n')}
`
}
