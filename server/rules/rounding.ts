/**
 * How far a sum may be from the amounts that it is made of. Excel computes with all digits and shows two, so that each amount that is read may be half a
 * fen off: the terms, and the total itself. What stays within is no mistake of anybody.
 */
export const getRoundingTolerance = (terms: number): number => Math.floor((terms + 1) / 2)
