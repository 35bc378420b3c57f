/** Database errors caused by concurrent work: nothing was changed, and a retry is appropriate. */
type DatabaseError = { readonly code?: string | undefined; readonly message: string }

/** Messages of the pool, which have no code, when no connection was free or could be opened in time. */
const connectionTimeoutMessages = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
])
/** The error codes are statement timeout, lock timeout, deadlock and serialization failure. */
const conflictCodes = new Set(['57014', '55P03', '40P01', '40001'])

export const isTransientDatabaseError = ({ code, message }: DatabaseError): boolean =>
  conflictCodes.has(code ?? '') || connectionTimeoutMessages.has(message)

/** `lock_timeout` is shorter than the statement timeout: a statement that exceeds the latter was itself too slow. */
export const isStatementTimeout = ({ code }: DatabaseError): boolean => code === '57014'
