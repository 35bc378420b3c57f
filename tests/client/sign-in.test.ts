import { expect, test } from 'vitest'
import { userFeedBack } from '../../server/contract/account.ts'
import { check } from '../../src/api.ts'
import { ApiError, NetworkError } from '../../src/api-core.ts'
import { firstProblem, refusalOf } from '../../src/parts/sign-in.ts'

const fields = { phone: '', password: '', code: '' }
const phone = '13800138000'

test.each([
  ['password', fields, '手机号不能为空'],
  ['password', { ...fields, phone: '1380013800' }, '手机号格式有误，请重新输入'],
  ['password', { ...fields, phone }, '请输入登录密码'],
  ['code', { ...fields, phone }, '验证码不能为空'],
  ['code', { ...fields, phone, code: '12' }, '请输入 6 位验证码'],
  ['password', { ...fields, phone, password: 'x' }, undefined],
] as const)('signing in by %s with %j: %s', (way, given, text) => expect(firstProblem(way, given)?.text).toBe(text))

test('a refusal goes to its field, a lock names the time to wait', () => {
  expect(refusalOf(new ApiError(100101, '', {}))).toEqual({ field: 'password', text: '手机号或密码不正确' })
  expect(refusalOf(new ApiError(100103, '', { retry_after: 600 })).text).toBe('尝试次数过多，请 10 分钟后再试')
  expect(refusalOf(new NetworkError()).text).toContain('网络错误')
})

const refused = (input: unknown) => {
  try {
    check(userFeedBack, input)
    return null
  } catch (error) {
    return error instanceof ApiError ? [error.field, error.message] : error
  }
}

test('a suggestion is checked in the order of the specification, one sentence at a time', () => {
  const good = { contact_name: '沈知遥', contact_tel: phone, type: '1', content: '想要年度报表' }
  expect(refused({ type: '1' })).toEqual(['contact_name', '请填写姓名'])
  expect(refused({ ...good, contact_tel: '12345' })).toEqual(['contact_tel', '手机号格式有误'])
  expect(refused({ ...good, contact_tel: undefined, content: '' })).toEqual(['contact_tel', '手机号格式有误'])
  expect(refused({ ...good, content: undefined })).toEqual(['content', '请填写需求描述'])
  expect(refused(good)).toBeNull()
})
