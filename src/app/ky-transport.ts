import ky from 'ky'
import { setTransport } from '../api-core.ts'

/** Makes ky carry every request. The server's envelope contains the errors; the query cache retries, not ky. */
export const installKyTransport = () =>
  setTransport((address, request) => ky(address, { ...request, timeout: false, retry: 0, throwHttpErrors: false }))
