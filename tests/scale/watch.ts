/**
 * Set up for the tests that have a database: every statement that the application really sends is read, and the file in which one was sent
 * that a cluster could not answer fails (docs/scale.md). It is the statement that is wrong, not the test.
 */
import { afterAll, expect } from 'vitest'
import { seen, watchStatements } from './sent.ts'

const once = Symbol.for('xinhan: statements are watched')
const here = globalThis as { [once]?: true }
if (!here[once]) {
  here[once] = true
  watchStatements()
}

afterAll(() => {
  const problems = seen.problems.splice(0)
  // What was sent for one file is read again for the next.
  seen.read.clear()
  expect(problems, 'no single node of a cluster can answer these: fix the company of each table (docs/scale.md)').toEqual([])
})
