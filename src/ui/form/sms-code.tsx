import { useEffect, useState } from 'react'

const resendSeconds = 60

/**
 * Asks for a code, then counts down 60 seconds: 「获取验证码」 → 「59秒后重发」 → 「重新发送」. `onSend` resolves true when a code
 * went out (false: the phone field showed an error). Plain, so that the sign-in page can use it.
 */
export function SmsCodeButton({ onSend, className = 'ui-button' }: { onSend: () => Promise<boolean>; className?: string }) {
  const [until, setUntil] = useState<number | null>(null)
  const [now, setNow] = useState(0)
  const [busy, setBusy] = useState(false)
  const secondsLeft = until === null ? 0 : Math.ceil((until - now) / 1000)
  // The clock, not a counter: a tab in the background ticks slowly.
  useEffect(() => {
    if (until === null || secondsLeft <= 0) return
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [until, secondsLeft])
  const sendCode = async () => {
    setBusy(true)
    try {
      if (await onSend()) {
        setNow(Date.now())
        setUntil(Date.now() + resendSeconds * 1000)
      }
    } finally {
      setBusy(false)
    }
  }
  return (
    <button type="button" className={className} disabled={busy || secondsLeft > 0} onClick={() => void sendCode()}>
      {secondsLeft > 0 ? `${secondsLeft}秒后重发` : until === null ? '获取验证码' : '重新发送'}
    </button>
  )
}

type FieldError = { field: string; text: string }
/** What came of asking for a code: the challenge that it answers, or why there is none. `pair`: two codes that rang earlier are asked for. */
export type SmsCodeResult = { challenge?: string | undefined; needsTwoCodes?: boolean; error?: FieldError }

/**
 * The one way to ask for a code, over whatever call `send` makes: a number that can be none is said at the phone and asks nothing; a challenge
 * holds for the phone that it was sent to. Without a phone the code goes to his own.
 */
export function useSmsCode(
  send: (phone: string | undefined) => Promise<SmsCodeResult>,
  setFieldError: (problem: FieldError | null) => void,
) {
  const [sent, setSent] = useState<{ phone: string | undefined; sms: string; pair: boolean } | null>(null)
  const getSentTo = (phone: string | undefined) => (sent && sent.phone === phone ? sent : null)
  return {
    /** The challenge that a code to this phone answers; empty where none was sent to it. */
    getChallenge: (phone?: string): string => getSentTo(phone)?.sms ?? '',
    /** Nothing more is sent to it today, and two codes that rang earlier are asked for. */
    needsTwoCodes: (phone?: string): boolean => getSentTo(phone)?.pair ?? false,
    /** True when a code went out. `wrong`: why it can go to no such phone. */
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

/** A refusal of the phone is said at the phone, any other beside the button that was pressed. */
export const toCodeFieldError = ({ field, text }: { field?: string | undefined; text: string }): FieldError => ({
  field: field === 'phone' ? field : 'code',
  text,
})
