/** The request signatures compared with the vendors' published examples, and the meaning of the vendors' codes. */
import { describe, expect, test } from 'vitest'
import { type MessageRejectedError, RateLimitedError } from '../../../platform/carrier.ts'
import { buildQuery, signHeaders, toAliyunError } from '../../../platform/sms/aliyun.ts'
import { buildAuthorization, toTencentError } from '../../../platform/sms/tencent.ts'

describe('Alibaba Cloud, ACS3-HMAC-SHA256', () => {
  // "V3版本请求体&签名机制", 固定参数示例: help.aliyun.com/zh/sdk/product-overview/v3-request-structure-and-signature
  test("matches the vendor's published example", () => {
    const headers = signHeaders({
      host: 'ecs.cn-shanghai.aliyuncs.com',
      query: buildQuery({ RegionId: 'cn-shanghai', ImageId: 'win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd' }),
      action: 'RunInstances',
      version: '2014-05-26',
      nonce: '3156853299f313e23d1673dc12e1703d',
      at: new Date('2023-10-26T10:22:32Z'),
      key_id: 'YourAccessKeyId',
      key_secret: 'YourAccessKeySecret',
    })
    expect(headers.authorization).toBe(
      'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
    )
  })
  test('sorts a query by code unit and encodes it per RFC 3986', () => {
    expect(buildQuery({ b: "a b*c~d/e(!')", B: '薪', a: '' })).toBe('B=%E8%96%AA&a=&b=a%20b%2Ac~d%2Fe%28%21%27%29')
  })
})

describe('Tencent Cloud, TC3-HMAC-SHA256', () => {
  const body = '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}'
  const common = { host: 'cvm.tencentcloudapi.com', service: 'cvm', body, timestamp: 1551113065 }
  const type = { 'content-type': 'application/json; charset=utf-8' }
  // "签名方法 v3": cloud.tencent.com/document/api/213/30654, whose keys are printed as asterisks.
  test("matches the vendor's published example", () => {
    const provided = { ...common, headers: { ...type, 'x-tc-action': 'DescribeInstances' } }
    expect(buildAuthorization({ ...provided, key_id: `AKID${'*'.repeat(32)}`, key_secret: '*'.repeat(32) })).toBe(
      `TC3-HMAC-SHA256 Credential=AKID${'*'.repeat(32)}/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f`,
    )
  })
  // The older page, "Signature v3": tencentcloud.com/document/product/1084/39391, without x-tc-action.
  test('matches the older published example', () => {
    const keys = { key_id: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE', key_secret: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' }
    expect(buildAuthorization({ ...common, headers: type, ...keys })).toContain(
      'SignedHeaders=content-type;host, Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168',
    )
  })
})

/**
 * `no` means rejected finally. A number means retry after so many seconds for all, `this 60` only for this phone. `?`
 * means unknown.
 */
const meaning = (error: MessageRejectedError | RateLimitedError | null): string =>
  error === null
    ? '?'
    : error instanceof RateLimitedError
      ? `${error.recipientOnly ? 'this ' : ''}${error.retryAfterSeconds}`
      : `no: ${error.message.slice(0, 6)}`

test.each([
  ['isv.BUSINESS_LIMIT_CONTROL', '触发分钟级流控Permits:1', 'this 60'],
  ['isv.BUSINESS_LIMIT_CONTROL', '触发小时级流控Permits:5', 'this 900'],
  ['isv.BUSINESS_LIMIT_CONTROL', '触发天级流控Permits:10', 'no: 这个手机号今'],
  ['isv.DAY_LIMIT_CONTROL', '', '900'],
  ['Throttling', '', '10'],
  ['Throttling.User', '', '10'],
  ['isv.MOBILE_NUMBER_ILLEGAL', '', 'no: 这个手机号不'],
  ['isv.AMOUNT_NOT_ENOUGH', '', 'no: 短信服务的余'],
  ['isv.OUT_OF_SERVICE', '', 'no: 短信服务的余'],
  ['isv.SMS_TEMPLATE_ILLEGAL', '', 'no: 短信模板或签'],
  ['isv.TEMPLATE_MISSING_PARAMETERS', '', 'no: 短信模板或签'],
  ['isv.SMS_SIGNATURE_ILLEGAL', '', 'no: 短信模板或签'],
  ['isv.SMS_SIGN_ILLEGAL', '', 'no: 短信模板或签'],
  ['isv.BLACK_KEY_CONTROL_LIMIT', '', 'no: 短信内容被运'],
  ['isv.PARAM_LENGTH_LIMIT', '', 'no: 短信内容被运'],
  ['isp.RAM_PERMISSION_DENY', '', 'no: 短信服务的密'],
  ['SignatureDoesNotMatch', '', 'no: 短信服务的密'],
  ['InvalidAccessKeyId.NotFound', '', 'no: 短信服务的密'],
  ['InvalidTimeStamp.Expired', '', 'no: 短信服务的密'],
  ['isv.SOMETHING_NEW', '', 'no: 短信服务拒绝'],
  ['isp.SYSTEM_ERROR', '', '?'],
  ['InternalError', '', '?'],
  ['ServiceUnavailable', '', '?'],
  ['', '', '?'],
])('signs for Alibaba Cloud: %s %s → %s', (code, message, outcome) => {
  expect(meaning(toAliyunError(code, message))).toBe(outcome)
})

test.each([
  ['RequestLimitExceeded', '10'],
  ['RequestLimitExceeded.UinLimitExceeded', '10'],
  ['LimitExceeded.PhoneNumberThirtySecondLimit', 'this 30'],
  ['LimitExceeded.DeliveryFrequencyLimit', 'this 60'],
  ['LimitExceeded.PhoneNumberOneHourLimit', 'this 900'],
  ['LimitExceeded.PhoneNumberDailyLimit', 'no: 这个手机号今'],
  ['LimitExceeded.PhoneNumberSameContentDailyLimit', 'no: 这个手机号今'],
  ['LimitExceeded.AppMainlandChinaDailyLimit', '900'],
  ['InvalidParameterValue.IncorrectPhoneNumber', 'no: 这个手机号不'],
  ['FailedOperation.PhoneNumberInBlacklist', 'no: 这个手机号已'],
  ['FailedOperation.InsufficientBalanceInSmsPackage', 'no: 短信服务的余'],
  ['FailedOperation.SignatureIncorrectOrUnapproved', 'no: 短信模板或签'],
  ['FailedOperation.TemplateIncorrectOrUnapproved', 'no: 短信模板或签'],
  ['FailedOperation.TemplateParamSetNotMatchApprovedTemplate', 'no: 短信模板或签'],
  ['InvalidParameterValue.TemplateParameterLengthLimit', 'no: 短信模板或签'],
  ['FailedOperation.ContainSensitiveWord', 'no: 短信内容被运'],
  ['AuthFailure.SignatureFailure', 'no: 短信服务的密'],
  ['AuthFailure.SecretIdNotFound', 'no: 短信服务的密'],
  ['UnauthorizedOperation.RequestIpNotInWhitelist', 'no: 短信服务的密'],
  ['FailedOperation.FailResolvePacket', 'no: 短信服务拒绝'],
  ['InternalError.Timeout', '?'],
  ['InternalError.OtherError', '?'],
  ['FailedOperation', '?'],
  ['', '?'],
])('signs for Tencent Cloud: %s → %s', (code, outcome) => {
  expect(meaning(toTencentError(code))).toBe(outcome)
})
