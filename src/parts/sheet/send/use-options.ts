import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { type getSendOptions, type SendOptions, setSendOptions } from '../../../../server/contract/payslips/send.ts'
import { callApi } from '../../../api.ts'
import { useAutosave } from '../use-autosave.ts'

/**
 * What step 4 has chosen, kept with the batch. Not by `useCall`, after which everything would be asked anew: a plan of ten thousand people takes
 * seconds. That it was lost on the way stops nobody; that somebody else has chosen otherwise does.
 */
export function useSendOptions(batch_id: string, initial: CallOutput<typeof getSendOptions>) {
  const [options, setOptions] = useState(initial.options)
  const {
    put: scheduleSave,
    flush,
    insist: overwrite,
    overtaken: conflict,
    letGo: discard,
  } = useAutosave<SendOptions>(initial.version, (current, version) =>
    callApi(setSendOptions, { batch_id, version, options: current }),
  )
  const changeOptions = (next: Partial<SendOptions>) => {
    const merged = { ...options, ...next }
    setOptions(merged)
    scheduleSave(merged)
  }
  const saveAndCheck = async (): Promise<boolean> => (await flush()) !== 'overtaken'
  return {
    options,
    changeOptions: changeOptions,
    flush: saveAndCheck,
    conflict: conflict,
    overwrite: overwrite,
    discard: discard,
  }
}
