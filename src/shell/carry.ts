import ky from 'ky'
import { carryWith } from '../api-core.ts'

/** From now on ky carries every request. The server's envelope says what went wrong; the query cache tries again, not ky. */
export const carryWithKy = () =>
  carryWith((address, request) => ky(address, { ...request, timeout: false, retry: 0, throwHttpErrors: false }))
