import ky from 'ky'
import { setTransport } from '../api-core.ts'

/** From now on ky carries every request. The server's envelope says what went wrong; the query cache tries again, not ky. */
export const installKyTransport = () =>
  setTransport((address, request) => ky(address, { ...request, timeout: false, retry: 0, throwHttpErrors: false }))
