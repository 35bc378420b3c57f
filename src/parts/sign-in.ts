/**
 * Signing in as values and steps, without a look: the desk's small entry and /m/login share it. It needs neither router nor
 * query cache.
 */
import { useState } from 'react'
import { getVerifyCode, login, loginByCode, selectCorp } from '../../server/contract/account.ts'
import type { OutputOf } from '../../server/contract/call.ts'
import { refusals } from '../../server/contract/refusals.ts'
import { mobilePattern } from '../../server/contract/words.ts'
import { ApiError, NetworkError, send, session, storageForbidden } from '../api-core.ts'

export type SignedIn = OutputOf<typeof login>
export type Corp = SignedIn['corps'][number]
export type Way = 'password' | 'code'
export const signInWays: readonly { way: Way; title: string }[] = [
  { way: 'password', title: '密码登录' },
  { way: 'code', title: '验证码登录' },
]
export type Fields = { phone: string; password: string; code: string }
export type FieldName = keyof Fields

const phoneForm = new RegExp(mobilePattern)
export const phoneProblem = (phone: string): string | null =>
  phone === '' ? '手机号不能为空' : phoneForm.test(phone) ? null : '手机号格式有误，请重新输入'

/** The first field that is wrong, in the order in which they stand. */
export function firstProblem(way: Way, fields: Fields): { field: FieldName; text: string } | null {
  const phone = phoneProblem(fields.phone)
  if (phone) return { field: 'phone', text: phone }
  if (way === 'password') return fields.password === '' ? { field: 'password', text: '请输入登录密码' } : null
  if (fields.code === '') return { field: 'code', text: '验证码不能为空' }
  return /^\d{6}$/.test(fields.code) ? null : { field: 'code', text: '请输入 6 位验证码' }
}

const waitText = (seconds: number) => (seconds < 60 ? `${seconds} 秒` : `${Math.ceil(seconds / 60)} 分钟`)

/** Where a refusal of signing in belongs: a field, or the whole form. */
export function refusalOf(error: unknown): { field: FieldName | 'form'; text: string } {
  if (error instanceof NetworkError) return { field: 'form', text: error.message }
  if (!(error instanceof ApiError)) return { field: 'form', text: '页面出了问题，请刷新后重试' }
  if (error.is('locked') && error.retry_after)
    return { field: 'form', text: `尝试次数过多，请 ${waitText(error.retry_after)}后再试` }
  if (error.is('wrong_password')) return { field: 'password', text: refusals.wrong_password.message }
  if (error.is('wrong_code')) return { field: 'code', text: error.message }
  const named = error.field
  return { field: named === 'phone' || named === 'password' || named === 'code' ? named : 'form', text: error.message }
}

/** The state of a sign-in form. `onIn` gets the company one is in now; by then the token is kept. */
export function useSignIn(onIn: (corp: Corp | undefined) => void) {
  const [way, setWay] = useState<Way>('password')
  const [fields, setFields] = useState<Fields>({ phone: '', password: '', code: '' })
  const [problem, setProblem] = useState<{ field: FieldName | 'form'; text: string } | null>(null)
  const [challenge, setChallenge] = useState<string | null>(null)
  const [corps, setCorps] = useState<readonly Corp[] | null>(null)
  const [busy, setBusy] = useState(false)

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(refusalOf(error))
    } finally {
      setBusy(false)
    }
  }
  const keep = (token: string) => {
    if (session.keep(token)) return true
    setProblem({ field: 'form', text: storageForbidden })
    return false
  }

  return {
    way,
    fields,
    problem,
    corps,
    busy,
    chooseWay: (next: Way) => {
      setWay(next)
      setProblem(null)
    },
    change: (name: FieldName, value: string) => {
      setFields({ ...fields, [name]: value })
      if (problem?.field === name || problem?.field === 'form') setProblem(null)
    },
    /** True when a code went out. */
    sendCode: async (): Promise<boolean> => {
      const text = phoneProblem(fields.phone)
      if (text) {
        setProblem({ field: 'phone', text })
        return false
      }
      try {
        const { sms } = await send(getVerifyCode, { phone: fields.phone, type: 'login' })
        setChallenge(sms)
        setProblem(null)
        return true
      } catch (error) {
        setProblem(refusalOf(error))
        return false
      }
    },
    submit: async () => {
      const wrong = firstProblem(way, fields)
      if (wrong) return setProblem(wrong)
      if (way === 'code' && !challenge) return setProblem({ field: 'code', text: '请先获取验证码' })
      await attempt(async () => {
        const { phone, password, code } = fields
        const into =
          way === 'password'
            ? await send(login, { phone, password })
            : await send(loginByCode, { phone, code, sms: challenge ?? '' })
        if (!keep(into.token)) return
        if (into.corp_id === null && into.corps.length > 0) setCorps(into.corps)
        else onIn(into.corps.find((corp) => corp.corp_id === into.corp_id) ?? into.corps[0])
      })
    },
    enter: (corp: Corp) =>
      attempt(async () => {
        const { token } = await send(selectCorp, { corp_id: corp.corp_id })
        if (keep(token)) onIn(corp)
      }),
    /** Back from the choice of companies. */
    back: () => {
      session.forget()
      setCorps(null)
    },
  }
}
export type SignIn = ReturnType<typeof useSignIn>

/** Where to go once in: back to the page asked for, else by what one is there. */
export const afterSignIn = (corp: Corp | undefined, prefer: 'admin' | 'employee'): string => {
  const page = new URLSearchParams(location.search).get('page')
  const as = corp?.as ?? []
  const fits = page && /^\/m\//i.test(page) ? as.includes('employee') : as.includes('admin')
  // /landing knows which addresses are ours; it refuses the others.
  if (page && fits) return `/landing?page=${encodeURIComponent(page)}`
  const asEmployee = as.includes('employee') && (prefer === 'employee' || !as.includes('admin'))
  return asEmployee ? '/m/slips' : '/landing'
}

export const roleWords = (corp: Corp): string =>
  corp.as.map((as) => (as === 'admin' ? '管理员' : '员工')).join('、') + (corp.corp_role === 20 ? ' · 代理机构' : '')
