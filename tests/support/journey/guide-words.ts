/** The text of the guide, and the version that tells which text the printed guide was made from. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { helpQuestions } from '../../../src/features/reports/search/pages.ts'

export const guideLabels = (): string => readFileSync(join(import.meta.dirname, '../../../docs/guide.zh-CN.md'), 'utf8')
export const guideQuestions = helpQuestions.map(({ title, answer = '' }) => ({ title, answer }))
/** Returns the version printed on the last page. */
export const guideVersion = (): string =>
  createHash('sha256')
    .update(JSON.stringify([guideLabels(), guideQuestions]))
    .digest('hex')
    .slice(0, 8)
