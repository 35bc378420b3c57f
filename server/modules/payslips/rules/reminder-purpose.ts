/** Reminders: at most three per recipient and day. The purpose contains the day and the number, so the ledger counts them. */
export const maxRemindersPerDay = 3

/** Returns for example `remind-2026-11-20-2`, the second reminder of that day. */
export const toReminderPurpose = (day: string, number: number): string => `remind-${day}-${number}`
/** The purpose of the automatic reminder: one per day, however often the rules are evaluated. It counts towards the three. */
export const toAutomaticReminderPurpose = (day: string): string => `remind-${day}-auto`
/** The common prefix of one day's purposes. */
export const getReminderPrefix = (day: string): string => `remind-${day}-`

/** Returns the number of the next reminder, given how many were sent today; null at the maximum. */
export const getNextReminderNumber = (sentToday: number): number | null => (sentToday < maxRemindersPerDay ? sentToday + 1 : null)
