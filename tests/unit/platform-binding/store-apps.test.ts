/** App store applications in the environment: all settings of one, or none. */
import { expect, it } from 'vitest'
import { parseStoreApps } from '../../../platform/wire/store-apps.ts'

const wecom = {
  XINHAN_STORE_WECOM_ID: 'wwddddccc7775555aab',
  XINHAN_STORE_WECOM_SECRET: 'secret-of-the-suite',
  XINHAN_STORE_WECOM_TOKEN: 'QDG6eK',
  XINHAN_STORE_WECOM_KEY: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C',
}
const lark = {
  XINHAN_STORE_LARK_ID: 'cli_a1b2c3d4e5f60001',
  XINHAN_STORE_LARK_SECRET: 'secret-of-the-app',
  XINHAN_STORE_LARK_TOKEN: 'rvaYgkND1GOiu5MM',
  XINHAN_STORE_LARK_KEY: 'encrypt key'.replace(' ', '-'),
  XINHAN_STORE_LARK_PAGE: 'https://app.feishu.cn/app/cli_a1b2c3d4e5f60001',
}

const dingtalk = {
  XINHAN_STORE_DINGTALK_ID: 'suite4xxxxxxxxxxxxxxx',
  XINHAN_STORE_DINGTALK_SECRET: 'secret-of-the-suite',
  XINHAN_STORE_DINGTALK_TOKEN: 'dtToken01',
  XINHAN_STORE_DINGTALK_KEY: '4g5j64qlyl3zvetqxz5jiocdr586fn2zvjpa8zls3ij',
  XINHAN_STORE_DINGTALK_PAGE: 'https://appcenter.dingtalk.com/detail/16807001',
}

it('accepts none, one or both store applications', () => {
  expect(parseStoreApps({})).toEqual({})
  expect(Object.keys(parseStoreApps(wecom))).toEqual(['wecom'])
  expect(parseStoreApps({ ...wecom, ...lark })).toMatchObject({
    wecom: { id: wecom.XINHAN_STORE_WECOM_ID, page: null },
    lark: { page: lark.XINHAN_STORE_LARK_PAGE },
  })
  expect(parseStoreApps(dingtalk).dingtalk?.template).toBeNull()
  expect(parseStoreApps({ ...dingtalk, XINHAN_STORE_DINGTALK_TEMPLATE: 'tmpl-1' }).dingtalk).toMatchObject({ template: 'tmpl-1' })
})
it.each([
  [{ ...wecom, XINHAN_STORE_WECOM_SECRET: undefined }, 'XINHAN_STORE_WECOM_SECRET'],
  [{ ...wecom, XINHAN_STORE_WECOM_KEY: 'short' }, 'XINHAN_STORE_WECOM_KEY'],
  [{ XINHAN_STORE_WECOM_PAGE: 'https://work.weixin.qq.com/' }, 'XINHAN_STORE_WECOM_ID'],
  [{ ...lark, XINHAN_STORE_LARK_PAGE: undefined }, 'XINHAN_STORE_LARK_PAGE'],
  [{ ...lark, XINHAN_STORE_LARK_PAGE: 'http://app.feishu.cn/app' }, 'XINHAN_STORE_LARK_PAGE'],
  [{ ...dingtalk, XINHAN_STORE_DINGTALK_KEY: 'short' }, 'XINHAN_STORE_DINGTALK_KEY'],
  [{ ...dingtalk, XINHAN_STORE_DINGTALK_PAGE: undefined }, 'XINHAN_STORE_DINGTALK_PAGE'],
  [{ XINHAN_STORE_DINGTALK_TEMPLATE: 'tmpl-1' }, 'XINHAN_STORE_DINGTALK_ID'],
  [{ ...lark, XINHAN_STORE_LARK_TOKEN: 'with a blank' }, 'XINHAN_STORE_LARK_TOKEN'],
])('%o: reports %s', (env, name) => {
  expect(() => parseStoreApps(env)).toThrow(name)
})
