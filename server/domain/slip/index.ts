/**
 * From a checked batch to people and back. Writes plan, salary, salary_change, delivery, rehearsal, feedback, feedback_message, feedback_picture and export_job.
 * Nothing here touches the outside world but the job in `deliver.ts`.
 */
export { confirmedHash, markConfirmed, markViewed, signatureOf } from './answers.ts'
export { seesFile } from './export/pay-files.ts'
export { pictureIn } from './question/pictures.ts'
export { askAbout, markAnswerRead } from './question/say.ts'
export { aboutOf, messagesOf, ownThreads, threadOf, threadsOf, threadsOfPeople, unreadAnswer } from './question/threads.ts'
export { burnsAt, rulesOf, type SlipRules } from './rules/behaviour.ts'
export { confirmsAt } from './rules/care.ts'
export { purposeOf } from './rules/outcome.ts'
export { slipsOfPeople } from './salary/called.ts'
export { latestCorrection, latestCorrections, slipOf } from './salary/salary.ts'
export { lastFailure, neverViewed, toldAbout } from './send/ledger.ts'
