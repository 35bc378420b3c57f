import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { type getSendOptions, type SendOptions, setSendOptions } from '../../../../server/contract/slip/slip.ts'
import { ask } from '../../../api.ts'
import { useSelfSaving } from '../self-saving.ts'

/**
 * What step 4 has chosen, kept with the batch. Not by `useCall`, after which everything would be asked anew: a plan of ten thousand people takes
 * seconds. That it was lost on the way stops nobody; that somebody else has chosen otherwise does.
 */
export function useSendOptions(batch_id: string, begun: OutputOf<typeof getSendOptions>) {
  const [options, setOptions] = useState(begun.options)
  const { put, flush, insist, overtaken, letGo } = useSelfSaving<SendOptions>(begun.version, (now, version) =>
    ask(setSendOptions, { batch_id, version, options: now }),
  )
  const choose = (next: Partial<SendOptions>) => {
    const whole = { ...options, ...next }
    setOptions(whole)
    put(whole)
  }
  const mayGoOn = async (): Promise<boolean> => (await flush()) !== 'overtaken'
  return { options, choose, flush: mayGoOn, overtaken, insist, letGo }
}
