/** The SMS gateways behind the port of `carrier.ts`. */
import { type CarrierSender, createCarrierSender } from '../carrier.ts'
import { createAliyunCarrier } from './aliyun.ts'
import { createTencentCarrier } from './tencent.ts'

export { createReportResponse, parseSmsReports, type SmsReport } from './reports.ts'

/** A customer of an SMS gateway: his keys and what the gateway has approved. */
export type SmsGatewayConfig = {
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
export const createSmsSender = (app: SmsGatewayConfig, now: () => Date): CarrierSender =>
  createCarrierSender(
    `sms:${app.provider}:${app.app_id || app.key_id}`,
    app.provider === 'aliyun' ? createAliyunCarrier(now) : createTencentCarrier(now),
    app,
  )
