/**
 * From a checked batch to people and back. Writes plan, salary, salary_change, delivery, feedback, feedback_message and export_job.
 * Nothing here touches the outside world but the job in `deliver.ts`.
 */
export { confirmedHash, markConfirmed, markViewed, signatureOf } from './answers.ts'
export { seesFile } from './export/pay-files.ts'
export { askAbout, markAnswerRead, messagesOf, threadOf, threadsOf, threadsOfPeople, unreadAnswer } from './feedback.ts'
export { lastFailure, neverViewed, toldAbout } from './ledger.ts'
export { burnsAt, type Rules, rulesOf } from './rules/behaviour.ts'
export { confirmsAt } from './rules/care.ts'
export { purposeOf } from './rules/outcome.ts'
export { slipsOfPeople } from './salary/called.ts'
export { latestCorrection, latestCorrections, slipOf } from './salary/salary.ts'
