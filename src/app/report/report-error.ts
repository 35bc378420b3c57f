/** Creates a number that the user can quote and that can be searched in the log; its characters are not easily confused. */
export const createErrorNumber = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'[byte % 31]).join('')

/** Reports an error. The code loads only when an error occurs and must never cause a second one. */
export const reportError = (cause: unknown, errorNumber = createErrorNumber()): void =>
  void import('./send-report.ts').then(
    (loaded) => loaded.sendErrorReport(cause, errorNumber),
    () => undefined,
  )
