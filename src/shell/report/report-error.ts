/** What the user can quote and the log can be searched for; letters that are not taken for one another. */
export const createErrorNumber = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'[byte % 31]).join('')

/** Reporting is rarely needed: it comes when something has gone wrong, and must never be the second failure. */
export const reportError = (cause: unknown, errorNumber = createErrorNumber()): void =>
  void import('./send-report.ts').then(
    (loaded) => loaded.sendErrorReport(cause, errorNumber),
    () => undefined,
  )
