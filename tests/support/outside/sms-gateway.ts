/** A simulated SMS gateway with the product's templates registered, and the adapter for it. */
import type { SmsGatewayConfig } from '../../../platform/sms/config.ts'
import { createSmsSender } from '../../../platform/sms/index.ts'
import { renderGatewayTemplate } from '../../../server/contract/messages/rendering.ts'
import { smsMessageKinds } from '../../../server/contract/messages/sms-templates.ts'
import { startSmsSimulator } from './sms-simulator.ts'

export const origin = 'http://127.0.0.1:8080'
const kinds = smsMessageKinds

export async function startSmsGateway(
  provider: SmsGatewayConfig['provider'],
  now: () => Date,
  more: { behind_ms?: number; busy_s?: number; key_secret?: string; signature?: string } = {},
) {
  const getNumber = (kind: (typeof smsMessageKinds)[number]): string =>
    `${provider === 'aliyun' ? 'SMS_' : ''}${4600 + kinds.indexOf(kind)}`
  const registered = kinds.map((kind) => [
    getNumber(kind),
    renderGatewayTemplate(kind, provider === 'aliyun' ? 'named' : 'numbered', origin),
  ])
  const simulator = await startSmsSimulator(provider, {
    key_id: 'LTAI-tests',
    key_secret: 'a secret of the tests',
    signature: '薪函',
    app_id: '1400006666',
    templates: Object.fromEntries(registered),
    now,
    behind_ms: more.behind_ms ?? 0,
    ...(more.busy_s ? { busy_s: more.busy_s } : {}),
  })
  const settings: SmsGatewayConfig = {
    provider,
    key_id: 'LTAI-tests',
    key_secret: more.key_secret ?? 'a secret of the tests',
    signature: more.signature ?? '薪函',
    templates: Object.fromEntries(kinds.map((kind) => [kind, getNumber(kind)])) as SmsGatewayConfig['templates'],
    endpoint: simulator.url,
    app_id: '1400006666',
    region: 'ap-guangzhou',
  }
  return { simulator, settings, sms: createSmsSender(settings, now) }
}
