import { useEffect, useState } from 'react'

const wait = 60

/**
 * Asks for a code, then counts down 60 seconds: 「获取验证码」 → 「59秒后重发」 → 「重新发送」. `onSend` resolves true when a code
 * went out (false: the phone field showed an error). Plain, so that the sign-in page can use it.
 */
export function SmsButton({ onSend, className = 'ui-button' }: { onSend: () => Promise<boolean>; className?: string }) {
  const [until, setUntil] = useState<number | null>(null)
  const [now, setNow] = useState(0)
  const [busy, setBusy] = useState(false)
  const left = until === null ? 0 : Math.ceil((until - now) / 1000)
  // The clock, not a counter: a tab in the background ticks slowly.
  useEffect(() => {
    if (until === null || left <= 0) return
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [until, left])
  const press = async () => {
    setBusy(true)
    try {
      if (await onSend()) {
        setNow(Date.now())
        setUntil(Date.now() + wait * 1000)
      }
    } finally {
      setBusy(false)
    }
  }
  return (
    <button type="button" className={className} disabled={busy || left > 0} onClick={() => void press()}>
      {left > 0 ? `${left}秒后重发` : until === null ? '获取验证码' : '重新发送'}
    </button>
  )
}
