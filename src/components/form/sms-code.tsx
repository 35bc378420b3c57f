import { useEffect, useState } from 'react'
import type { FieldError } from './field.ts'
import { captureFocus } from './focus.ts'
import styles from './light-form.module.css'
import { LightField, type LightFieldProps } from './light-form.tsx'

const resendSeconds = 60

/**
 * Requests a code, then counts down 60 seconds: 「获取验证码」 → 「59秒后重发」 → 「重新发送」. `onSend` resolves to true if a code was
 * sent (false: the phone field showed an error); the focus then moves to the field for the code. Plain HTML, so that the sign-in page can use it.
 */
export function SmsCodeButton({ onSend, className = 'ui-button' }: { onSend: () => Promise<boolean>; className?: string }) {
  const [until, setUntil] = useState<number | null>(null)
  const [now, setNow] = useState(0)
  const [busy, setBusy] = useState(false)
  const secondsLeft = until === null ? 0 : Math.ceil((until - now) / 1000)
  // Uses the clock instead of a counter: timers in a background tab run slowly.
  useEffect(() => {
    if (until === null || secondsLeft <= 0) return
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [until, secondsLeft])
  const sendCode = async (form: HTMLFormElement | null) => {
    const hasMovedFocus = captureFocus()
    setBusy(true)
    try {
      if (await onSend()) {
        setNow(Date.now())
        setUntil(Date.now() + resendSeconds * 1000)
        if (!hasMovedFocus()) form?.querySelector<HTMLInputElement>('#code')?.focus()
      }
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type="button"
      className={className}
      disabled={busy || secondsLeft > 0}
      onClick={(event) => void sendCode(event.currentTarget.form)}
    >
      {secondsLeft > 0 ? `${secondsLeft}秒后重发` : until === null ? '获取验证码' : '重新发送'}
    </button>
  )
}

/** A field for an SMS code, with the button that requests it. No maximum length, because pasted text is cleaned first. */
export const LightCodeField = ({ onSend, ...field }: LightFieldProps & { onSend: () => Promise<boolean> }) => (
  <LightField {...field} after={<SmsCodeButton onSend={onSend} className={`${styles.word} ${styles.send}`} />} />
)

/**
 * The result of requesting a code: its challenge, or why there is none. `needsTwoCodes`: two earlier codes are
 * required.
 */
export type SmsCodeResult = { challenge?: string | undefined; needsTwoCodes?: boolean; error?: FieldError }

/**
 * The only way to request a code, with any call as `send`: an invalid number is reported at the phone field and sends
 * nothing; a challenge is valid only for the phone to which it was sent. Without a phone the code goes to the user's
 * own.
 */
export function useSmsCode(
  send: (phone: string | undefined) => Promise<SmsCodeResult>,
  setFieldError: (problem: FieldError | null) => void,
) {
  const [sent, setSent] = useState<{ phone: string | undefined; sms: string; pair: boolean } | null>(null)
  const getSentTo = (phone: string | undefined) => (sent && sent.phone === phone ? sent : null)
  return {
    /** Returns the challenge of the code sent to this phone; empty if none was sent. */
    getChallenge: (phone?: string): string => getSentTo(phone)?.sms ?? '',
    /** Returns whether no more codes can be sent to the phone today, so that two earlier ones are required. */
    needsTwoCodes: (phone?: string): boolean => getSentTo(phone)?.pair ?? false,
    /** Returns true if a code was sent. `wrong`: why no code can be sent to this phone. */
    sendCode: async (phone?: string, wrong: string | null = null): Promise<boolean> => {
      setFieldError(wrong === null ? null : { field: 'phone', text: wrong })
      if (wrong !== null) return false
      const { challenge, needsTwoCodes = false, error } = await send(phone)
      if (challenge !== undefined) setSent({ phone, sms: challenge, pair: needsTwoCodes })
      if (error) setFieldError(error)
      return !error
    },
  }
}

/** Errors about the phone go to the phone field, all others next to the pressed button. */
export const toCodeFieldError = ({ field, text }: { field?: string | undefined; text: string }): FieldError => ({
  field: field === 'phone' ? field : 'code',
  text,
})
