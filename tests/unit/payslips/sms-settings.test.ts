/** SMS settings in the environment: complete or absent; an error at the start names the variable. */
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { smsMessageKinds } from '../../../server/contract/messages/sms-templates.ts'

const production = { NODE_ENV: 'production', XINHAN_ORIGIN: 'https://pay.example.cn' }
const templates = (prefix: string) =>
  Object.fromEntries(smsMessageKinds.map((kind, at) => [`XINHAN_SMS_TEMPLATE_${kind.toUpperCase()}`, `${prefix}${1000 + at}`]))
const keys = { XINHAN_SMS_KEY_ID: 'id', XINHAN_SMS_KEY_SECRET: 'secret', XINHAN_SMS_SIGNATURE: '薪函' }
const aliyun = { ...production, XINHAN_SMS: 'aliyun', ...keys, ...templates('SMS_') }
const tencent = { ...production, XINHAN_SMS: 'tencent', ...keys, ...templates(''), XINHAN_SMS_APP_ID: '1400006666' }

test('accepts settings of Alibaba Cloud', () => {
  expect(readConfig(aliyun).sms).toMatchObject({
    provider: 'aliyun',
    endpoint: 'https://dysmsapi.aliyuncs.com',
    signature: '薪函',
    templates: { code: 'SMS_1000', slip: 'SMS_1001' },
  })
})
test('accepts settings of Tencent Cloud with another region and a custom address', () => {
  expect(readConfig(tencent).sms).toMatchObject({
    endpoint: 'https://sms.tencentcloudapi.com',
    region: 'ap-guangzhou',
    app_id: '1400006666',
  })
  const other = readConfig({ ...tencent, XINHAN_SMS_REGION: 'ap-nanjing', XINHAN_SMS_ENDPOINT: 'http://127.0.0.1:9/' })
  expect(other.sms).toMatchObject({ region: 'ap-nanjing', endpoint: 'http://127.0.0.1:9' })
})
test('accepts missing templates of a test send', () => {
  const { templates } = readConfig({ ...aliyun, XINHAN_SMS_TEMPLATE_REHEARSAL: undefined }).sms ?? {}
  expect([templates?.slip, templates?.rehearsal]).toEqual(['SMS_1001', undefined])
})
test('disables SMS without any setting', () => expect(readConfig(production).sms).toBe(null))

describe('refused settings', () => {
  test.each(Object.keys(aliyun).filter((name) => /_TEMPLATE_(?!REHEARSAL)|_KEY_|_SIGNATURE/.test(name)))(
    'refuses to start without %s',
    (name) => {
      expect(() => readConfig({ ...aliyun, [name]: undefined })).toThrow(`environment variable ${name}: `)
    },
  )
  test.each([
    ['an unknown provider', { ...aliyun, XINHAN_SMS: 'huawei' }, 'environment variable XINHAN_SMS: aliyun or tencent'],
    [
      'a key without a provider',
      { ...production, XINHAN_SMS_KEY_ID: 'id' },
      'environment variable XINHAN_SMS_KEY_ID: is of no use',
    ],
    [
      'a template of the other gateway',
      { ...aliyun, XINHAN_SMS_TEMPLATE_CODE: '1234' },
      'environment variable XINHAN_SMS_TEMPLATE_CODE: ',
    ],
    [
      'a template of this gateway at the other one',
      { ...tencent, XINHAN_SMS_TEMPLATE_SLIP: 'SMS_1' },
      'environment variable XINHAN_SMS_TEMPLATE_SLIP: ',
    ],
    ['a signature in brackets', { ...aliyun, XINHAN_SMS_SIGNATURE: '【薪函】' }, 'environment variable XINHAN_SMS_SIGNATURE: '],
    ['Tencent without an application', { ...tencent, XINHAN_SMS_APP_ID: '' }, 'environment variable XINHAN_SMS_APP_ID: '],
    ['SMS in the demo', { ...aliyun, NODE_ENV: 'development' }, 'environment variable XINHAN_SMS: the demo'],
  ])('%s', (_, env, sentence) => {
    expect(() => readConfig(env)).toThrow(sentence)
  })
})
