/** `npm run tax-rules`: regenerates docs/tax-rules.md after a rule, a row or a case has changed. */
import { writeFileSync } from 'node:fs'
import { page, ruleTable } from './rule-table.ts'

writeFileSync(page, ruleTable())
