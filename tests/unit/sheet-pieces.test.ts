/**
 * The end of a check in pieces (issue 19, 2): between two of them everybody else has his turn. A loop that forgot to stop is seen whichever it is,
 * and however fast the machine.
 */
import { expect, it } from 'vitest'
import { some } from '../support/run/trial.ts'
import { blocksOfSegments } from '../support/sheets/pieces.ts'

/** A piece is at most 1.1 million, up to 35 ms of a processor; without pieces it is 60 million. */
const most_blocks = 1_600_000

it.each(some(['shift', 'names sorted'], 1))('the end of a check of 10,000 people is done in pieces: %s', async (order) => {
  const blocks = await blocksOfSegments(order)
  expect(Math.max(...blocks)).toBeLessThan(most_blocks)
  // It is counted at all: 10,000 people with eleven items are many blocks.
  expect(blocks.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10 * most_blocks)
})
