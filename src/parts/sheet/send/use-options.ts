import { useCallback, useEffect, useRef, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { type getSendOptions, type SendOptions, setSendOptions } from '../../../../server/contract/slip.ts'
import { ApiError, ask } from '../../../api.ts'

const rest = 500
const overtakes = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.is('wrong_state') && typeof error.data.version === 'number'

/**
 * What step 4 has chosen. It keeps itself with the batch when the hand rests, when one goes on and when one leaves. Not by `useCall`, after which
 * everything would be asked anew: a plan of ten thousand people takes seconds.
 */
export function useSendOptions(batch_id: string, begun: OutputOf<typeof getSendOptions>) {
  const [options, setOptions] = useState(begun.options)
  const [other, setOther] = useState<{ why: string; version: number } | null>(null)
  const seen = useRef(begun.version)
  const unsaved = useRef<SendOptions | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const running = useRef<Promise<boolean>>(Promise.resolve(true))

  /** Saves run one after the other. False where somebody else has chosen otherwise meanwhile; that it was lost on the way stops nobody. */
  const flush = useCallback(async (): Promise<boolean> => {
    clearTimeout(timer.current)
    running.current = running.current.then(async () => {
      const now = unsaved.current
      if (!now) return true
      unsaved.current = null
      try {
        seen.current = (await ask(setSendOptions, { batch_id, version: seen.current, options: now })).version
        return true
      } catch (error) {
        unsaved.current ??= now
        if (!overtakes(error)) return true
        setOther({ why: error.message, version: Number(error.data.version) })
        return false
      }
    })
    return running.current
  }, [batch_id])

  const choose = (next: Partial<SendOptions>) => {
    const whole = { ...options, ...next }
    setOptions(whole)
    unsaved.current = whole
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void flush(), rest)
  }
  // Leaving the page must not lose the last half second.
  useEffect(() => () => void flush(), [flush])
  const insist = () => {
    seen.current = other?.version ?? seen.current
    setOther(null)
    return flush()
  }
  const letGo = () => {
    clearTimeout(timer.current)
    unsaved.current = null
  }
  return { options, choose, flush, overtaken: other?.why ?? null, insist, letGo }
}
