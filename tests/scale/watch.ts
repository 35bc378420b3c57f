/**
 * Set up for the tests that have a database: every statement that the application really sends is read, and the file in which one was sent
 * that a cluster could not answer fails (docs/scale.md). It is the statement that is wrong, not the test.
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
  // What was sent for one file is read again for the next.
  viewed.read.clear()
  expect(problems, 'no single node of a cluster can answer these: fix the company of each table (docs/scale.md)').toEqual([])
})
