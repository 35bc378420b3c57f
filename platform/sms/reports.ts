/**
 * Delivery reports of the SMS gateways: whether a phone received a message, or why not. Both gateways post unsigned
 * lists, so the callback URL is secret (`server/web/sms-reports.ts`), and an entry counts only with the gateway's own
 * reference of that message.
 */
import { toObject } from '../wire/request.ts'
import type { SmsGatewayConfig } from './config.ts'
import { toObjectList } from './gateway.ts'

export type SmsReport = {
  /** The gateway's reference as returned by `send`. */
  readonly ref: string
  readonly delivered: boolean
  readonly code: string
}
type ReportFormat = {
  readonly parse: (body: unknown) => readonly SmsReport[]
  /** Builds the response: accepted, or not understood. */
  readonly createResponse: (isAccepted: boolean) => object
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
/** Accepts codes in the gateways' format; anything else is free text. */
const toCode = (value: unknown): string => (/^[\w:.-]{1,40}$/.test(toText(value)) ? toText(value) : '')

const aliyun: ReportFormat = {
  parse: (body) =>
    toObjectList(body).flatMap((line) => {
      const ref = toText(line.biz_id)
      if (!ref || typeof line.success !== 'boolean') return []
      return [{ ref, delivered: line.success, code: toCode(line.err_code) }]
    }),
  createResponse: (isAccepted) => ({ code: isAccepted ? 0 : 1, msg: isAccepted ? '成功' : '无法识别' }),
}
const tencent: ReportFormat = {
  parse: (body) =>
    toObjectList(body).flatMap((line) => {
      const [ref, status] = [toText(line.sid), toText(line.report_status)]
      if (!ref || (status !== 'SUCCESS' && status !== 'FAIL')) return []
      return [{ ref, delivered: status === 'SUCCESS', code: toCode(line.errmsg) }]
    }),
  createResponse: (isAccepted) => ({ result: isAccepted ? 0 : 1, errmsg: isAccepted ? 'OK' : 'unreadable' }),
}
const reportFormats: Readonly<Record<SmsGatewayConfig['provider'], ReportFormat>> = { aliyun, tencent }

/** Parses the reports of this gateway; null if the text is not a list. */
export function parseSmsReports(provider: SmsGatewayConfig['provider'], body: string): readonly SmsReport[] | null {
  try {
    const parsed: unknown = JSON.parse(body)
    return Array.isArray(parsed) ? reportFormats[provider].parse(parsed.map(toObject)) : null
  } catch {
    return null
  }
}
export const createReportResponse = (provider: SmsGatewayConfig['provider'], accepted: boolean): object =>
  reportFormats[provider].createResponse(accepted)
