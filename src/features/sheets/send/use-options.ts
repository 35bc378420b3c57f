import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { type getSendOptions, type SendOptions, setSendOptions } from '../../../../server/contract/payslips/send.ts'
import { callApi } from '../../../api.ts'
import { useAutosave } from '../use-autosave.ts'

/**
 * The options of step 4, stored with the batch. Does not use `useCallMutation`, which would refetch everything: a plan
 * of ten thousand employees takes seconds. A lost save does not block the user; a conflicting change by another user
 * does.
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
    changeOptions,
    flush: saveAndCheck,
    conflict,
    overwrite,
    discard,
  }
}
