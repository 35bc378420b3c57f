/**
 * What was paid: the content of a slip, its seal, figures by person and run. Asks no other subject, and is asked by all that show, compare or add up
 * slips. Writes nothing: the rows are planned, sent and answered by `slip`.
 */
export { openContent, type SealedSlip, type SlipContent, sealContent } from './content.ts'
export { formOf, hashOfForm, hashOfShown, type ShownSlip, slip_form } from './form.ts'
export {
  newestPaidTo,
  type PaidSlip,
  PaidSums,
  paidDigests,
  paidOne,
  paidStamps,
  paidSums,
  paidTo,
  paidWith,
  peoplePaid,
} from './runs.ts'
export {
  countAsking,
  countSlips,
  countsBeside,
  hasPaid,
  hasPlanned,
  hasSlips,
  holderOf,
  slipNow,
  slipsBeside,
  slipsOf,
} from './slips.ts'
