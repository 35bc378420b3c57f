/** The words of the guide, and by what the printed one says which words it was made of. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { helpQuestions } from '../../../src/parts/home/find/pages.ts'

export const guideLabels = (): string => readFileSync(join(import.meta.dirname, '../../../docs/guide.zh-CN.md'), 'utf8')
export const guideQuestions = helpQuestions.map(({ title, answer = '' }) => ({ title, answer }))
/** Stands on the last page. */
export const guideVersion = (): string =>
  createHash('sha256')
    .update(JSON.stringify([guideLabels(), guideQuestions]))
    .digest('hex')
    .slice(0, 8)
