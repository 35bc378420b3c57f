/**
 * The last phase of a check runs in chunks (issue 19, 2), so that other requests run in between. The test detects any
 * loop that does not yield, on a machine of any speed.
 */
import { expect, it } from 'vitest'
import { some } from '../../support/run/trial.ts'
import { blocksOfSegments } from '../../support/sheets/pieces.ts'

/** A chunk is at most 1.1 million, up to 35 ms of CPU time; without chunks it is 60 million. */
const most_blocks = 1_600_000

it.each(some(['shift', 'names sorted'], 1))('runs the last phase of a check of 10,000 rows in chunks: %s', async (order) => {
  const blocks = await blocksOfSegments(order)
  expect(Math.max(...blocks)).toBeLessThan(most_blocks)
  // The counter works at all: 10,000 rows with eleven items are many blocks.
  expect(blocks.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10 * most_blocks)
})
