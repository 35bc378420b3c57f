/**
 * The sign-in logic without a user interface: the small desktop entry and /m/login share it. It needs neither router
 * nor query cache; the code that calls the server loads when the page is idle, or when a button is pressed before that.
 */
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { SignInErrorReason } from '../../../../server/contract/auth/platform-sign-in.ts'
import { getExpiredPhone, getStorageProblem, savePhone, session, storageBlockedMessage } from '../../../browser.ts'
import { type SmsCodeResult, toCodeFieldError, useSmsCode } from '../../../components/form/sms-code.tsx'
import { useLightForm } from '../../../components/form/use-light-form.ts'
import { accountMessages, type SignInFields, type SignInMethod, validatePhone, validateSignIn } from '../account/messages.ts'
import { getRequestedMethod } from '../entry/entry-params.ts'
import type { FormError, SignInCompany, SignInResult } from './types.ts'

export const signInMethods: readonly { method: SignInMethod; title: string }[] = [
  { method: 'password', title: '密码登录' },
  { method: 'code', title: '验证码登录' },
]
/** A reload would lose what the user has typed. */
export const networkLostError: FormError = { field: 'form', text: '网络不通，请检查网络后再点一次' }

/** Everything that typing does not need: the calls, and the steps that follow the form. */
export const loadSignInSteps = () => import('./sign-in-steps.ts')
export type SignInSteps = Awaited<ReturnType<typeof loadSignInSteps>>
/** Rarely used steps: only users who open them wait for them. */
export const loadSideSteps = () => import('./side-steps.tsx')

const runWhenIdle = (callback: () => void): void => {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(callback, { timeout: 2000 })
  else setTimeout(callback, 200)
}
/**
 * Loads a part of the page: at once when needed, else (`prefetch`) as soon as the page has loaded and is idle. Null
 * until loaded.
 */
export function useLazyModule<T extends object>(
  load: () => Promise<T>,
  { isRequested: isNeeded, isEarly: prefetch = false }: { isRequested: boolean; isEarly?: boolean },
) {
  const [module, setModule] = useState<T | null>(null)
  const [failed, setFailed] = useState(false)
  const [attempts, setAttempts] = useState(0)
  // Loads a file; after a network error it retries when the user presses something.
  useEffect(() => {
    if (module) return
    const fetchModule = () => void load().then(setModule, () => setFailed(true))
    if (isNeeded || attempts > 0) return fetchModule()
    if (!prefetch) return
    const fetchWhenIdle = () => runWhenIdle(fetchModule)
    if (document.readyState === 'complete') return fetchWhenIdle()
    addEventListener('load', fetchWhenIdle, { once: true })
    return () => removeEventListener('load', fetchWhenIdle)
  }, [module, load, isNeeded, prefetch, attempts])
  const retry = () => {
    setFailed(false)
    setAttempts(attempts + 1)
  }
  return { part: module, failed, again: retry }
}

/** Maps an error of a call to its field, or to the whole form. */
export async function toSignInError(failure: unknown): Promise<FormError> {
  const calls = await loadSignInSteps().catch(() => null)
  return calls ? calls.toFormError(failure) : networkLostError
}
export const codeNotSentError = { field: 'code', text: accountMessages.signIn.codeNotSent } as const

type Purpose = 'login' | 'register' | 'resetpwd' | 'invite'
/** Requests a code for a user who is not signed in yet. */
export function useSignInCode(purpose: Purpose, setFormError: (trouble: FormError | null) => void) {
  const { sendCode, ...codeState } = useSmsCode(async (phone = ''): Promise<SmsCodeResult> => {
    const calls = await loadSignInSteps().catch(() => null)
    if (!calls) return { error: networkLostError }
    try {
      return { challenge: await calls.requestCode(phone, purpose) }
    } catch (error) {
      const sms = calls.getCodePairChallenge(error)
      return { challenge: sms ?? undefined, needsTwoCodes: true, error: toCodeFieldError(calls.toFormError(error)) }
    }
  }, setFormError)
  return { ...codeState, sendCode: (phone: string) => sendCode(phone, validatePhone(phone)) }
}

/**
 * Returns whether a code has just become complete: then the form submits without a button press. One of two codes
 * (`isPair`) is not complete.
 */
export const isCodeCompleted = (previous: string, code: string, isPair = false): boolean =>
  !isPair && code !== previous && /^\d{6}$/.test(code)

/** Rethrows the error; first reports if the account of the phone may belong to someone else. */
function rethrowOwnerError(calls: SignInSteps, error: unknown, onUnclearOwner: (field: string) => void): never {
  const { isOwnerUnclear, field } = calls.toFormError(error)
  if (isOwnerUnclear) onUnclearOwner(field)
  throw error
}

/** Returns the entered proofs for the existing account of the phone. */
const getOwnerProof = ({ password, holder_name }: SignInFields) => ({
  ...(password && { password }),
  ...(holder_name && { holder_name }),
})

const emptyFields: SignInFields = { phone: '', password: '', code: '' }
/** The state of the sign-in. `onSignedIn` receives the current company; by then the token is stored. */
export function useSignIn(onSignedIn: (corp: SignInCompany | undefined) => void) {
  const [method, setMethod] = useState<SignInMethod>(() => getRequestedMethod(location.search))
  const [companies, setCompanies] = useState<readonly SignInCompany[] | null>(null)
  const [factor_token, setFactor] = useState<string | null>(null)
  const [forbidden] = useState(getStorageProblem)
  const [unclearOwner, setUnclearOwner] = useState<{ phone: string; field: string } | null>(null)
  const [leaving, setLeaving] = useState(false)
  const finish = (company: SignInCompany | undefined): void => {
    setLeaving(true)
    onSignedIn(company)
  }
  const form = useLightForm<SignInFields, FormError>(
    { ...emptyFields, phone: getExpiredPhone() },
    {
      validate: (values) =>
        validateSignIn(method, values) ?? (method === 'code' && !getChallenge(values.phone) ? codeNotSentError : null),
      submit: (values) => submitFields(values),
      toFieldError: toSignInError,
      onChange: (values, previous) => {
        const { phone, code } = values
        if (getChallenge(phone) && isCodeCompleted(previous.code, code, needsTwoCodes(phone))) submit(values)
      },
    },
  )
  const { values: fields, setError: setFormError } = form
  const { sendCode, getChallenge, needsTwoCodes } = useSignInCode('login', setFormError)

  /** Handles the result of any sign-in method: second factor first, then company selection, then signed in. */
  const handleResult = (result: SignInResult): void => {
    setFactor(result.factor_token)
    if (result.token === null) return
    if (!session.setToken(result.token)) return setFormError({ field: 'form', text: storageBlockedMessage })
    if (fields.phone) savePhone(fields.phone)
    if (result.corp_id === null && result.corps.length > 0) setCompanies(result.corps)
    else finish(result.corps.find((company) => company.corp_id === result.corp_id) ?? result.corps[0])
  }
  const submitFields = async (values: SignInFields, isNextOwner = false): Promise<void> => {
    const { phone, password, code } = values
    const ownerProof = isNextOwner ? { is_new_owner: isNextOwner } : unclearOwner?.phone === phone ? getOwnerProof(values) : {}
    const calls = await loadSignInSteps()
    const result =
      method === 'password'
        ? calls.signInWithPassword(phone, password)
        : calls.signInWithCode(phone, code, getChallenge(phone), ownerProof)
    handleResult(
      await result.catch((error: unknown) => rethrowOwnerError(calls, error, (field) => setUnclearOwner({ phone, field }))),
    )
  }
  const submit = (values: SignInFields = fields, isNextOwner = false): void => {
    if (!forbidden && !leaving) form.submitValues(values, (submitted) => submitFields(submitted, isNextOwner))
  }

  return {
    method,
    fields,
    formError: form.error,
    companies,
    factor_token,
    forbidden,
    busy: form.busy || leaving,
    needsTwoCodes: needsTwoCodes(fields.phone),
    handleResult,
    submit,
    unclearOwnerField: method === 'code' && unclearOwner?.phone === fields.phone ? unclearOwner.field : null,
    submitAsNextOwner: () => submit(fields, true),
    /** The phone to which a code was sent, while the form still contains it. */
    sent: getChallenge(fields.phone) ? { phone: fields.phone, needsTwoCodes: needsTwoCodes(fields.phone) } : null,
    selectMethod: (next: SignInMethod) => {
      setMethod(next)
      setFormError(null)
    },
    field: form.field,
    sendCode: () => sendCode(fields.phone),
    selectCompany: (corp: SignInCompany) =>
      form.run(async () => {
        const calls = await loadSignInSteps()
        if (session.setToken(await calls.selectCompany(corp.corp_id))) finish(corp)
        else setFormError({ field: 'form', text: storageBlockedMessage })
      }),
    /** Returns from the company selection, the second factor or a new password to the form, keeping what is still valid. */
    restart: (phone = '') => {
      session.clearToken()
      setCompanies(null)
      setFactor(null)
      setFormError(null)
      setMethod('password')
      form.setValues({ ...emptyFields, phone })
      if (location.hash) clearHashStep()
    },
  }
}
export type SignInState = ReturnType<typeof useSignIn>

/** Returns the token of `#link=…`, the link for the first administrator of a new company; null for any other step. */
export const getLinkToken = (step: string): string | null => /^link=(.+)/.exec(step)?.[1] ?? null

/** Returns the step in the address hash: `#register`, `#forgot`. */
export const useHashStep = (): string =>
  useSyncExternalStore(
    (onChange) => {
      addEventListener('hashchange', onChange)
      return () => removeEventListener('hashchange', onChange)
    },
    () => location.hash.slice(1),
  )
/** Returns to the form without an extra entry in the browser history. */
export function clearHashStep(): void {
  history.replaceState(history.state, '', location.pathname + location.search)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Returns the URL after signing in: the requested page, else the one that fits the user's roles. */
export const getUrlAfterSignIn = (company: SignInCompany | undefined, prefer: 'admin' | 'employee', search: string): string => {
  const page = new URLSearchParams(search).get('page')
  const roles = company?.as ?? []
  const isAllowed = page && /^\/m\/(?!admin)/i.test(page) ? roles.includes('employee') : roles.includes('admin')
  // /landing knows our own addresses and rejects the others.
  if (page && isAllowed) return `/landing?page=${encodeURIComponent(page)}`
  const asEmployee = roles.includes('employee') && (prefer === 'employee' || !roles.includes('admin'))
  // An administrator without payslips who signs in on a phone wants to manage; that page redirects users without
  // access.
  return asEmployee ? '/m/slips' : prefer === 'employee' && roles.includes('admin') ? '/m/admin' : '/landing'
}

export const formatCompanyRoles = (company: SignInCompany): string =>
  company.as.map((role) => (role === 'admin' ? '管理员' : '员工')).join('、') + (company.corp_role === 20 ? ' · 代理机构' : '')

const signInErrorTexts: Record<SignInErrorReason, string> = {
  no_app: '您的企业还没有绑定这个办公平台，请用手机号登录',
  cancelled: '您没有同意授权，请再试一次，或用手机号登录',
  refused: '办公平台没有允许登录，请用手机号登录',
  expired: '登录请求已过期，请再试一次，或用手机号登录',
  not_here: '请在办公平台里打开，或用手机号登录',
  unavailable: '办公平台没有回应，请再试一次，或用手机号登录',
}
/**
 * Returns the message for `?why=<reason>`, set when a platform sign-in failed. Text from the address itself is never
 * shown.
 */
export const getSignInErrorText = (search: string): string | null => {
  const reason = new URLSearchParams(search).get('why')
  return reason === null ? null : (new Map(Object.entries(signInErrorTexts)).get(reason) ?? '自动登录没有完成，请用手机号登录')
}
