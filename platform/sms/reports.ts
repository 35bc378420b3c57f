/**
 * What the SMS gateways report of messages they took: that a phone got one, or why not. Both post lists of such lines and sign nothing, so the
 * address that they are told is a secret (`server/web/sms-reports.ts`), and a line counts only with the gateway's own reference of that message.
 */
import { inside } from '../wire/ask.ts'
import type { SmsApp } from './index.ts'
import { listOf } from './wire.ts'

export type SmsReport = {
  /** The gateway's reference, as `send` answered it. */
  readonly ref: string
  readonly delivered: boolean
  readonly code: string
}
type Reading = {
  readonly reports: (body: unknown) => readonly SmsReport[]
  /** Taken, or not understood. */
  readonly answer: (taken: boolean) => object
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
/** A code as gateways write them; anything else is somebody's own text. */
const code = (value: unknown): string => (/^[\w:.-]{1,40}$/.test(text(value)) ? text(value) : '')

const aliyun: Reading = {
  reports: (body) =>
    listOf(body).flatMap((line) => {
      const ref = text(line.biz_id)
      if (!ref || typeof line.success !== 'boolean') return []
      return [{ ref, delivered: line.success, code: code(line.err_code) }]
    }),
  answer: (taken) => ({ code: taken ? 0 : 1, msg: taken ? '成功' : '无法识别' }),
}
const tencent: Reading = {
  reports: (body) =>
    listOf(body).flatMap((line) => {
      const [ref, status] = [text(line.sid), text(line.report_status)]
      if (!ref || (status !== 'SUCCESS' && status !== 'FAIL')) return []
      return [{ ref, delivered: status === 'SUCCESS', code: code(line.errmsg) }]
    }),
  answer: (taken) => ({ result: taken ? 0 : 1, errmsg: taken ? 'OK' : 'unreadable' }),
}
const readings: Readonly<Record<SmsApp['provider'], Reading>> = { aliyun, tencent }

/** How the reports of this gateway are read, and what it is answered; null for a text that is no list. */
export function reportsIn(provider: SmsApp['provider'], body: string): readonly SmsReport[] | null {
  try {
    const given: unknown = JSON.parse(body)
    return Array.isArray(given) ? readings[provider].reports(given.map(inside)) : null
  } catch {
    return null
  }
}
export const reportAnswer = (provider: SmsApp['provider'], taken: boolean): object => readings[provider].answer(taken)
