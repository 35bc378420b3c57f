import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../server/contract/errors.ts'
import { ApiError } from '../../src/api-core.ts'
import { toPhoneOwnerError, validateFormerPhone, validatePhoneOwner } from '../../src/features/payslips/employee/phone-owner.ts'

const masked = '199****0007'
describe('confirming a phone that the company has changed', () => {
  it.each([
    ['', masked, '手机号不能为空'],
    ['1990001', masked, '手机号格式有误，请重新输入'],
    ['19900010008', masked, '这不是公司原来登记的手机号（199****0007），请核对'],
    ['18800010007', masked, '这不是公司原来登记的手机号（199****0007），请核对'],
    ['19900010007', masked, null],
    ['18800010007', '', null],
  ])('returns for a code to %j where %j was registered: %j', (phone, existing, text) =>
    expect(validateFormerPhone(phone, existing)).toBe(text),
  )

  it.each([
    ['code', {}, { field: 'code', text: '请先获取验证码' }],
    ['code', { sms: 's' }, { field: 'code', text: '短信验证码不能为空' }],
    ['code', { sms: 's', code: '12' }, { field: 'code', text: '请输入 6 位验证码' }],
    ['code', { sms: 's', code: '123456' }, null],
    ['code', { sms: 's', code: '123456', phone: '' }, { field: 'phone', text: '手机号不能为空' }],
    ['password', {}, { field: 'password', text: '请输入原来的登录密码' }],
    ['password', { password: 'x' }, null],
  ] as const)('returns for confirming by %s with %j: %j', (channel, typed, problem) =>
    expect(validatePhoneOwner(channel, { phone: '19900010007', code: '', password: '', sms: '', masked, ...typed })).toEqual(
      problem,
    ),
  )

  it('shows an error at a visible field', () => {
    const refused = (field?: string) => new ApiError(errorCodes.wrong_code.code, '不对', field ? { field } : {})
    expect(toPhoneOwnerError('code', refused('phone')).field).toBe('phone')
    expect(toPhoneOwnerError('code', refused()).field).toBe('code')
    expect(toPhoneOwnerError('password', refused('phone')).field).toBe('password')
  })
})
