/** Which errors of the database only say that others were in the way: nothing was done, and doing it again is right. */
type DatabaseError = { readonly code?: string | undefined; readonly message: string }

/** What the pool says, without a code, where none was free or none could be opened in time. */
const connectionTimeoutMessages = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
])
/** A statement's time, a lock's time, a deadlock, two that may not both be. */
const conflictCodes = new Set(['57014', '55P03', '40P01', '40001'])

export const isTransientDatabaseError = ({ code, message }: DatabaseError): boolean =>
  conflictCodes.has(code ?? '') || connectionTimeoutMessages.has(message)

/** Waiting for a lock ends before the statement's own time does (`lock_timeout`): what runs out of that was itself too long. */
export const isStatementTimeout = ({ code }: DatabaseError): boolean => code === '57014'
