import { getErrorNumber } from '../../components/state/error-number.ts'

/** Reports an error. The code loads only when an error occurs and must never cause a second one. */
export const reportError = (cause: unknown): void =>
  void import('./send-report.ts').then(
    (loaded) => loaded.sendErrorReport(cause, getErrorNumber(cause)),
    () => undefined,
  )
