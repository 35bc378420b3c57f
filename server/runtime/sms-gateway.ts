/** The SMS gateway that the configuration names. */
import type { MessageKind } from '../contract/messages.ts'
import type { Clock } from './clock.ts'
import type { Sms } from './sms.ts'
import { openAliyun } from './sms-aliyun.ts'
import { openTencent } from './sms-tencent.ts'

export type SmsSettings = {
  readonly provider: 'aliyun' | 'tencent'
  readonly key_id: string
  readonly key_secret: string
  /** The approved signature, without its brackets. */
  readonly signature: string
  /** The approved template of each kind. */
  readonly templates: Readonly<Record<MessageKind, string>>
  /** Where the gateway listens; no slash at the end. */
  readonly endpoint: string
  /** Tencent only. */
  readonly app_id: string
  readonly region: string
}

export const openSmsGateway = (settings: SmsSettings, clock: Clock): Sms =>
  settings.provider === 'aliyun' ? openAliyun(settings, clock) : openTencent(settings, clock)
