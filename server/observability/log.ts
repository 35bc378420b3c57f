/**
 * Structured logs that cannot contain values: requests are logged by an allow-list of fields (method, route pattern,
 * status, time, request id), never by URL, header or body; errors by name, message and stack, scrubbed of digits that
 * could be amounts or phones.
 */
import { type Logger, pino } from 'pino'

export type Log = Logger
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Amounts as numbers: full-width digits, thousands, or three digits and more that are no part of a word, path or position. */
const amountPattern = /(?<![\w.:/#*-])[-+]?\d{1,3}(?:[,，]\d{3})+|(?<![\w.:/#*-])[-+]?\d{3,}(?![\w:*])|[０-９．，]{2,}/g
/** Amounts in Chinese numerals, such as 玖仟捌佰元整 or 九千八. */
const numeralPattern = /[零〇一二三四五六七八九壹贰叁肆伍陆柒捌玖两十百千万亿拾佰仟萬億]{2,}[元圆块角分整]*/g

/** Removes phones, identity card numbers, amounts in any form and quoted values from free text. */
export function scrubText(text: string): string {
  return text
    .replace(/\b\d{15,19}[\dXx]?\b/g, '#')
    .replace(/\b1\d{10}\b/g, (mobile) => `${mobile.slice(0, 3)}****${mobile.slice(-4)}`)
    .replace(/-?\d[\d,]*\.\d+/g, '#')
    .replace(amountPattern, '#')
    .replace(numeralPattern, '#')
    .replace(/「[^」\n]{1,200}」|“[^”\n]{1,200}”/g, '「…」')
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
