/** Payment settings of this installation: everything that a provider needs, or nothing. */
import { readFileSync } from 'node:fs'
import type { AlipayConfig } from './alipay.ts'
import type { WechatPayConfig } from './wechat.ts'

export const paymentEnvVariables = [
  'XINHAN_ALIPAY_APP_ID',
  'XINHAN_ALIPAY_PRIVATE_KEY',
  'XINHAN_ALIPAY_PUBLIC_KEY',
  'XINHAN_ALIPAY_SELLER_ID',
  'XINHAN_ALIPAY_GATEWAY',
  'XINHAN_WECHAT_MCH_ID',
  'XINHAN_WECHAT_APP_ID',
  'XINHAN_WECHAT_SERIAL',
  'XINHAN_WECHAT_PRIVATE_KEY',
  'XINHAN_WECHAT_PUBLIC_KEY_ID',
  'XINHAN_WECHAT_PUBLIC_KEY',
  'XINHAN_WECHAT_API_KEY',
] as const
export type PaymentSettings = { readonly alipay: AlipayConfig | null; readonly wechat: WechatPayConfig | null }
type Env = Readonly<Record<string, string | undefined>>

/** Keys are read from files: environment variables are displayed in too many places. Errors name the variable. */
export function parsePaymentSettings(env: Env): PaymentSettings {
  const requireVariable = (name: (typeof paymentEnvVariables)[number]): string => {
    const value = env[name]
    if (!value) throw new Error(`environment variable ${name}: is needed beside the others of this provider`)
    return value
  }
  const readKeyFile = (name: (typeof paymentEnvVariables)[number]): string => {
    try {
      return readFileSync(requireVariable(name), 'utf8').trim()
    } catch (error) {
      throw new Error(`environment variable ${name}: a file with the key in PEM`, { cause: error })
    }
  }
  const hasProvider = (part: string): boolean => paymentEnvVariables.some((name) => name.includes(part) && env[name])
  const api_key = hasProvider('WECHAT') ? requireVariable('XINHAN_WECHAT_API_KEY') : ''
  if (hasProvider('WECHAT') && api_key.length !== 32)
    throw new Error('environment variable XINHAN_WECHAT_API_KEY: the APIv3 key, 32 characters')
  return {
    alipay: hasProvider('ALIPAY')
      ? {
          app_id: requireVariable('XINHAN_ALIPAY_APP_ID'),
          seller_id: env.XINHAN_ALIPAY_SELLER_ID ?? null,
          private_key: readKeyFile('XINHAN_ALIPAY_PRIVATE_KEY'),
          public_key: readKeyFile('XINHAN_ALIPAY_PUBLIC_KEY'),
          gateway: env.XINHAN_ALIPAY_GATEWAY,
        }
      : null,
    wechat: hasProvider('WECHAT')
      ? {
          mch_id: requireVariable('XINHAN_WECHAT_MCH_ID'),
          app_id: requireVariable('XINHAN_WECHAT_APP_ID'),
          serial: requireVariable('XINHAN_WECHAT_SERIAL'),
          private_key: readKeyFile('XINHAN_WECHAT_PRIVATE_KEY'),
          public_key_id: requireVariable('XINHAN_WECHAT_PUBLIC_KEY_ID'),
          public_key: readKeyFile('XINHAN_WECHAT_PUBLIC_KEY'),
          api_key,
        }
      : null,
  }
}
