/** A customer's account at an SMS gateway. */

/** A customer's account at an SMS gateway: the keys, and what the gateway has approved. */
export type SmsGatewayConfig = {
  readonly provider: 'aliyun' | 'tencent'
  readonly key_id: string
  readonly key_secret: string
  /** The approved signature without brackets. */
  readonly signature: string
  /** The approved template of each kind of message. */
  readonly templates: Readonly<Record<string, string>>
  /** Base URL of the gateway without a trailing slash. */
  readonly endpoint: string
  /** Used by Tencent only. */
  readonly app_id: string
  readonly region: string
}
