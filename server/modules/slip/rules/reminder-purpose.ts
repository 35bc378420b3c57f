/** Reminders: at most three a day a person. The day and the number stand in the purpose, so the ledger counts them. */
export const maxRemindersPerDay = 3

/** `remind-2026-11-20-2`: the second of that day. */
export const toReminderPurpose = (day: string, number: number): string => `remind-${day}-${number}`
/** The one that the company's rules send: one a day, however often the rules are asked. It counts among the three. */
export const toAutomaticReminderPurpose = (day: string): string => `remind-${day}-auto`
/** What the purposes of one day begin with. */
export const getReminderPrefix = (day: string): string => `remind-${day}-`

/** The number of the next reminder, given how many went out today; null when it is enough. */
export const getNextReminderNumber = (sentToday: number): number | null => (sentToday < maxRemindersPerDay ? sentToday + 1 : null)
