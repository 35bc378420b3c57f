/**
 * Setup file of the tests with a database: analyses every statement that the application really sends, and fails the
 * file in which one was sent that a cluster could not execute (docs/scale.md). The statement is wrong then, not the
 * test.
 */
import { afterAll, expect } from 'vitest'
import { viewed, watchStatements } from './sent.ts'

const once = Symbol.for('xinhan: statements are watched')
const context = globalThis as { [once]?: true }
if (!context[once]) {
  context[once] = true
  watchStatements()
}

afterAll(() => {
  const problems = viewed.problems.splice(0)
  // Statements sent for one file are analysed again for the next.
  viewed.read.clear()
  expect(problems, 'no single node of a cluster can answer these: fix the company of each table (docs/scale.md)').toEqual([])
})
