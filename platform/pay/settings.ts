/** How this installation is paid: all that a provider needs, or nothing of it. */
import { readFileSync } from 'node:fs'
import type { AlipayApp } from './alipay.ts'
import type { WechatApp } from './wechat.ts'

export const payVariables = [
  'XINHAN_ALIPAY_APP_ID',
  'XINHAN_ALIPAY_PRIVATE_KEY',
  'XINHAN_ALIPAY_PUBLIC_KEY',
  'XINHAN_ALIPAY_GATEWAY',
  'XINHAN_WECHAT_MCH_ID',
  'XINHAN_WECHAT_APP_ID',
  'XINHAN_WECHAT_SERIAL',
  'XINHAN_WECHAT_PRIVATE_KEY',
  'XINHAN_WECHAT_PUBLIC_KEY_ID',
  'XINHAN_WECHAT_PUBLIC_KEY',
  'XINHAN_WECHAT_API_KEY',
] as const
export type PaySettings = { readonly alipay: AlipayApp | null; readonly wechat: WechatApp | null }
type Env = Readonly<Record<string, string | undefined>>

/** Keys are files: an environment is shown in too many places. Throws one sentence that names the variable. */
export function readPay(env: Env): PaySettings {
  const need = (name: (typeof payVariables)[number]): string => {
    const value = env[name]
    if (!value) throw new Error(`environment variable ${name}: is needed beside the others of this provider`)
    return value
  }
  const key = (name: (typeof payVariables)[number]): string => {
    try {
      return readFileSync(need(name), 'utf8').trim()
    } catch (error) {
      throw new Error(`environment variable ${name}: a file with the key in PEM`, { cause: error })
    }
  }
  const has = (part: string): boolean => payVariables.some((name) => name.includes(part) && env[name])
  const api_key = has('WECHAT') ? need('XINHAN_WECHAT_API_KEY') : ''
  if (has('WECHAT') && api_key.length !== 32)
    throw new Error('environment variable XINHAN_WECHAT_API_KEY: the APIv3 key, 32 characters')
  return {
    alipay: has('ALIPAY')
      ? {
          app_id: need('XINHAN_ALIPAY_APP_ID'),
          private_key: key('XINHAN_ALIPAY_PRIVATE_KEY'),
          public_key: key('XINHAN_ALIPAY_PUBLIC_KEY'),
          gateway: env.XINHAN_ALIPAY_GATEWAY,
        }
      : null,
    wechat: has('WECHAT')
      ? {
          mch_id: need('XINHAN_WECHAT_MCH_ID'),
          app_id: need('XINHAN_WECHAT_APP_ID'),
          serial: need('XINHAN_WECHAT_SERIAL'),
          private_key: key('XINHAN_WECHAT_PRIVATE_KEY'),
          public_key_id: need('XINHAN_WECHAT_PUBLIC_KEY_ID'),
          public_key: key('XINHAN_WECHAT_PUBLIC_KEY'),
          api_key,
        }
      : null,
  }
}
