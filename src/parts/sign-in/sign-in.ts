/**
 * Signing in as values and steps, without a look: the desk's small entry and /m/login share it. It needs neither router nor query cache;
 * what talks to the server comes when the page is quiet, or when a button is pressed before that.
 */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { login } from '../../../server/contract/account/account.ts'
import type { Why } from '../../../server/contract/account/platform-sign-in.ts'
import type { OutputOf } from '../../../server/contract/call.ts'
import { networkLost, obstacle, session, storageForbidden } from '../../browser.ts'
import { besideButton, type CodeSent, useSmsCode } from '../../ui/form/sms-button.tsx'
import {
  cleanCode,
  cleanPhone,
  cleanTwoCodes,
  type Fields,
  messages,
  phoneProblem,
  type SignInWay,
  signInProblem,
} from '../account/messages.ts'
import { wayAsked } from '../entry/page-asked.ts'
import type * as Everything from './later.ts'
import type * as Others from './other-ways.ts'

export type SignedIn = OutputOf<typeof login>
export type Corp = SignedIn['corps'][number]
export const signInWays: readonly { way: SignInWay; title: string }[] = [
  { way: 'password', title: '密码登录' },
  { way: 'code', title: '验证码登录' },
]
/** What is wrong, and where it is said: at a field, or for the whole form. */
/** `holder`: the phone is proven, and has an account of which only he can say whether it is his. */
export type Trouble = { field: string; text: string; holder?: boolean }
const lost: Trouble = { field: 'form', text: networkLost }

/** Everything that typing does not need: the calls, and the steps that follow the form. */
export type Later = typeof Everything
export const later = (): Promise<Later> => import('./later.ts')
/** What few people press: they wait for it a moment, nobody else does. */
export const otherWays = (): Promise<typeof Others> => import('./other-ways.ts')

const idle = (work: () => void): void => {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(work, { timeout: 2000 })
  else setTimeout(work, 200)
}
/** A part of the page: at once when wanted, else (`ahead`) as soon as the page has loaded and is quiet. Null until it is here. */
export function usePart<T extends object>(
  load: () => Promise<T>,
  { wanted, ahead = false }: { wanted: boolean; ahead?: boolean },
) {
  const [part, setPart] = useState<T | null>(null)
  const [failed, setFailed] = useState(false)
  const [tries, setTries] = useState(0)
  // A file is fetched; a network that was lost is tried again when somebody presses something.
  useEffect(() => {
    if (part) return
    const fetchIt = () => void load().then(setPart, () => setFailed(true))
    if (wanted || tries > 0) return fetchIt()
    if (!ahead) return
    const whenQuiet = () => idle(fetchIt)
    if (document.readyState === 'complete') return whenQuiet()
    addEventListener('load', whenQuiet, { once: true })
    return () => removeEventListener('load', whenQuiet)
  }, [part, load, wanted, ahead, tries])
  const again = () => {
    setFailed(false)
    setTries(tries + 1)
  }
  return { part, failed, again }
}

/** One act at a time, whatever is pressed how often, and where its refusal is shown. */
export function useAct() {
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const running = useRef(false)
  const act = async (work: (calls: Later) => Promise<void>): Promise<void> => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setTrouble(null)
    try {
      const calls = await later()
      try {
        await work(calls)
      } catch (error) {
        setTrouble(calls.troubleOf(error))
      }
    } catch {
      setTrouble(lost)
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return { busy, trouble, setTrouble, act }
}

type Purpose = 'login' | 'register' | 'resetpwd' | 'invite'
/** A code for who is not signed in yet. */
export function useCode(purpose: Purpose, say: (trouble: Trouble | null) => void) {
  const { sendCode, ...asked } = useSmsCode(async (phone = ''): Promise<CodeSent> => {
    const calls = await later().catch(() => null)
    if (!calls) return { refused: lost }
    try {
      return { sms: await calls.askCode(phone, purpose) }
    } catch (error) {
      const sms = calls.pairOf(error)
      return { sms: sms ?? undefined, pair: true, refused: besideButton(calls.troubleOf(error)) }
    }
  }, say)
  return { ...asked, sendCode: (phone: string) => sendCode(phone, phoneProblem(phone)) }
}

/** Whether a code came in one piece, not digit by digit: then it is complete, and nobody need press a button. */
export const isWhole = (before: string, code: string): boolean =>
  /^\d{6}$/.test(code) && [...code].filter((digit, at) => digit !== before[at]).length > 1

/** As it is typed or pasted. */
export function clean(name: string, before: string, typed: string, pair = false): { value: string; whole: boolean } {
  const code = pair ? cleanTwoCodes : cleanCode
  const value = name === 'phone' ? cleanPhone(typed) : name === 'code' ? code(typed) : typed
  return { value, whole: name === 'code' && !pair && isWhole(before, value) }
}

/** Goes on as it was refused; says first where the account of the phone may be somebody else's. */
function doubt(calls: Later, error: unknown, say: (field: string) => void): never {
  const { holder, field } = calls.troubleOf(error)
  if (holder) say(field)
  throw error
}

/** What he has typed of the account that his phone has. */
const shownOf = ({ password, holder_name }: Fields) => ({
  ...(password && { password }),
  ...(holder_name && { holder_name }),
})

/** The state of signing in. `onIn` gets the company one is in now; by then the token is kept. */
export function useSignIn(onIn: (corp: Corp | undefined) => void) {
  const [way, setWay] = useState<SignInWay>(() => wayAsked(location.search))
  const [fields, setFields] = useState<Fields>({ phone: '', password: '', code: '' })
  const [corps, setCorps] = useState<readonly Corp[] | null>(null)
  const [factor_token, setFactor] = useState<string | null>(null)
  const [forbidden] = useState(obstacle)
  const [doubted, setDoubted] = useState<{ phone: string; field: string } | null>(null)
  const [leaving, setLeaving] = useState(false)
  const goIn = (corp: Corp | undefined): void => {
    setLeaving(true)
    onIn(corp)
  }
  const { busy, trouble, setTrouble, act } = useAct()
  const { sendCode, smsFor, pairFor } = useCode('login', setTrouble)

  /** What any way in answers: the second factor first, then the company, then one is in. */
  const arrive = (into: SignedIn): void => {
    setFactor(into.factor_token)
    if (into.token === null) return
    if (!session.keep(into.token)) return setTrouble({ field: 'form', text: storageForbidden })
    if (into.corp_id === null && into.corps.length > 0) setCorps(into.corps)
    else goIn(into.corps.find((corp) => corp.corp_id === into.corp_id) ?? into.corps[0])
  }
  const submit = async (given: Fields = fields, next_holder = false): Promise<void> => {
    if (forbidden || leaving) return
    const wrong = signInProblem(way, given)
    if (wrong) return setTrouble({ ...wrong })
    const { phone, password, code } = given
    const sms = smsFor(phone)
    if (way === 'code' && !sms) return setTrouble({ field: 'code', text: messages.signIn.no_code })
    const more = next_holder ? { next_holder } : doubted?.phone === phone ? shownOf(given) : {}
    await act(async (calls) => {
      const into = way === 'password' ? calls.byPassword(phone, password) : calls.byCode(phone, code, sms, more)
      arrive(await into.catch((error: unknown) => doubt(calls, error, (field) => setDoubted({ phone, field }))))
    })
  }

  return {
    way,
    fields,
    trouble,
    corps,
    factor_token,
    forbidden,
    busy: busy || leaving,
    arrive,
    submit,
    doubtful: way === 'code' && doubted?.phone === fields.phone ? doubted.field : null,
    startAnew: () => submit(fields, true),
    /** The phone a code was sent to, while it stands in the form. */
    sent: smsFor(fields.phone) ? { phone: fields.phone, pair: pairFor(fields.phone) } : null,
    chooseWay: (next: SignInWay) => {
      setWay(next)
      setTrouble(null)
    },
    change: (name: keyof Fields, typed: string) => {
      const { value, whole } = clean(name, fields[name] ?? '', typed, pairFor(fields.phone))
      const next = { ...fields, [name]: value }
      setFields(next)
      if (trouble) setTrouble(null)
      if (whole && smsFor(next.phone)) void submit(next)
    },
    sendCode: () => sendCode(fields.phone),
    enter: (corp: Corp) =>
      act(async (calls) => {
        if (session.keep(await calls.enterCorp(corp.corp_id))) goIn(corp)
        else setTrouble({ field: 'form', text: storageForbidden })
      }),
    /** From the choice of companies, the second factor or a new password: to the form, with what is still true in it. */
    restart: (phone = '') => {
      session.forget()
      setCorps(null)
      setFactor(null)
      setTrouble(null)
      setWay('password')
      setFields({ phone, password: '', code: '' })
      if (location.hash) leaveStep()
    },
  }
}
export type SignIn = ReturnType<typeof useSignIn>

/** The step beside the form that the address names: `#register`, `#forgot`. */
export const useStep = (): string =>
  useSyncExternalStore(
    (changed) => {
      addEventListener('hashchange', changed)
      return () => removeEventListener('hashchange', changed)
    },
    () => location.hash.slice(1),
  )
/** Back to the form without a step more in the browser's history. */
export function leaveStep(): void {
  history.replaceState(history.state, '', location.pathname + location.search)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Where to go once in: back to the page asked for, else by what one is there. */
export const afterSignIn = (corp: Corp | undefined, prefer: 'admin' | 'employee', search: string): string => {
  const page = new URLSearchParams(search).get('page')
  const as = corp?.as ?? []
  const fits = page && /^\/m\/(?!admin)/i.test(page) ? as.includes('employee') : as.includes('admin')
  // /landing knows which addresses are ours; it refuses the others.
  if (page && fits) return `/landing?page=${encodeURIComponent(page)}`
  const asEmployee = as.includes('employee') && (prefer === 'employee' || !as.includes('admin'))
  // Whoever signs in on a phone and has no slips here comes to manage; that page knows who has nothing to do there.
  return asEmployee ? '/m/slips' : prefer === 'employee' && as.includes('admin') ? '/m/admin' : '/landing'
}

export const roleWords = (corp: Corp): string =>
  corp.as.map((as) => (as === 'admin' ? '管理员' : '员工')).join('、') + (corp.corp_role === 20 ? ' · 代理机构' : '')

const whys: Record<Why, string> = {
  no_app: '您的企业还没有绑定这个办公平台，请用手机号登录',
  cancelled: '您没有同意授权，登录没有完成。可以再试一次，或用手机号登录',
  refused: '办公软件没有允许这次登录，请用手机号登录',
  expired: '这次登录请求已过期，请再试一次，或用手机号登录',
  not_here: '请在办公软件里打开，或用手机号登录',
  unavailable: '办公平台暂时没有回应，请稍后再试，或用手机号登录',
}
/** `?why=<word>`: a platform's sign-in that came back without anybody. The words of an address are never shown themselves. */
export const whySentence = (search: string): string | null => {
  const why = new URLSearchParams(search).get('why')
  return why === null ? null : (new Map(Object.entries(whys)).get(why) ?? '自动登录没有完成，请用手机号登录')
}
