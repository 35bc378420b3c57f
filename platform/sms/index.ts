/** The SMS gateways behind the port of `carrier.ts`. */
import { type CarrierLine, lineOf } from '../carrier.ts'
import { aliyunSms } from './aliyun.ts'
import { tencentSms } from './tencent.ts'

export { reportAnswer, reportsIn, type SmsReport } from './reports.ts'

/** A customer of an SMS gateway: his keys and what the gateway has approved. */
export type SmsApp = {
  readonly provider: 'aliyun' | 'tencent'
  readonly key_id: string
  readonly key_secret: string
  /** The approved signature, without its brackets. */
  readonly signature: string
  /** The approved template of each kind of message. */
  readonly templates: Readonly<Record<string, string>>
  /** Where the gateway listens; no slash at the end. */
  readonly endpoint: string
  /** Tencent only. */
  readonly app_id: string
  readonly region: string
}

/** The line of one customer. */
export const openSms = (app: SmsApp, now: () => Date): CarrierLine =>
  lineOf(`sms:${app.provider}:${app.app_id || app.key_id}`, app.provider === 'aliyun' ? aliyunSms(now) : tencentSms(now), app)
