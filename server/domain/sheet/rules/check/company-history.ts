/**
 * What other administrators of the company paid serves every check, and shows nobody what he may not see. Beside runs that he may not see
 * both months stand on a grid, so that whoever tries amounts until the questions change finds a step of it and no amount:
 *
 *     assignment      steps of 2 %: base pays of 8,000 and 8,400 are two, of 8,000 and 8,050 perhaps one
 *     net, half more  the old amount in steps of a quarter
 */
import type { Found } from './beside-last.ts'

const grid = Math.log(1.02)
const coarse = Math.log(1.25)

const inSteps = (fen: number, step: number): number =>
  fen === 0 ? 0 : Math.sign(fen) * Math.exp(Math.round(Math.log(Math.abs(fen)) / step) * step)
export const onGrid = (fen: number): number => inSteps(fen, grid)
export const coarsely = (fen: number): number => inSteps(fen, coarse)

/** Of so few people a question would be an answer about one of them. */
export const least_unseen = 3

/** Said behind every question that comes of such a run. */
export const unseen_note = '（与公司此前发过的工资比对，那次不由您经手，不显示金额）'
export const asUnseen = (found: Found): Found => ({ ...found, message: `${found.message}${unseen_note}` })

/** Whether the people of a sheet are known well enough to a run for it to speak for the sheet. */
export const known_share = 0.5
export function speaksFor(people: readonly string[], has: (member_id: string) => boolean): boolean {
  return people.filter(has).length >= people.length * known_share
}
