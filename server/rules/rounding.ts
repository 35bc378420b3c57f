/**
 * Tolerance between a total and the sum of its amounts. Excel computes with all digits and displays two, so that every
 * amount may be off by half a fen: the terms, and the total itself. A difference within the tolerance is not an error.
 */
export const getRoundingTolerance = (terms: number): number => Math.floor((terms + 1) / 2)
