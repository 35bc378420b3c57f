/**
 * Structured logs that cannot contain values: requests are logged by an allow-list of fields (method, route pattern,
 * status, time, request id), never by URL, header or body; errors by name, message and stack, scrubbed of digits that
 * could be amounts or phones.
 */
import { type Logger, pino } from 'pino'

export type Log = Logger
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Removes phones, identity card numbers, amounts and quoted values from free text. */
export function scrubText(text: string): string {
  return text
    .replace(/\b\d{15,19}[\dXx]?\b/g, '#')
    .replace(/\b1\d{10}\b/g, (mobile) => `${mobile.slice(0, 3)}****${mobile.slice(-4)}`)
    .replace(/-?\d[\d,]*\.\d+/g, '#')
    .slice(0, 4000)
}

const serializers = {
  req: (request: { method: string; id?: string; routeOptions?: { url?: string } }) => ({
    method: request.method,
    route: request.routeOptions?.url ?? '',
    id: request.id,
  }),
  res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
  err: (error: Error & { code?: string }) => ({
    type: error.name,
    code: error.code,
    message: scrubText(error.message ?? ''),
    stack: scrubText(error.stack ?? ''),
  }),
}

export const createLogger = (level: LogLevel): Log =>
  pino({ level, serializers, base: undefined, timestamp: pino.stdTimeFunctions.isoTime })
