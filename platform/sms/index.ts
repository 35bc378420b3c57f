/** The SMS gateways behind the port in `carrier.ts`. */
import { type CarrierSender, createCarrierSender } from '../carrier.ts'
import { createAliyunCarrier } from './aliyun.ts'
import type { SmsGatewayConfig } from './config.ts'
import { createTencentCarrier } from './tencent.ts'

export { createReportResponse, parseSmsReports, type SmsReport } from './reports.ts'

/** Creates the message sender of one customer. */
export const createSmsSender = (app: SmsGatewayConfig, now: () => Date): CarrierSender =>
  createCarrierSender(
    `sms:${app.provider}:${app.app_id || app.key_id}`,
    app.provider === 'aliyun' ? createAliyunCarrier(now) : createTencentCarrier(now),
    app,
  )
