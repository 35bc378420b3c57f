import { useState } from 'react'
import { insertBatchTitle } from '../../../../server/contract/sheet/sheet.ts'
import { ApiError, useCall } from '../../../api.ts'
import { noteHand } from '../../../ui/form/hand.ts'
import { type TitleErrors, useTitle } from '../title-form.tsx'
import type { TitleGuess } from '../words.ts'

/** A title that is refused says so at its field. */
export function useNaming(batch_id: string, guess: TitleGuess) {
  const [name, setName] = useTitle(guess)
  const [errors, setErrors] = useState<TitleErrors>({})
  const ofTitle = (error: ApiError) => error.field === 'title' || error.field === 'month'
  const saveTitle = useCall(insertBatchTitle, { handles: ofTitle })
  return {
    name,
    setName,
    errors,
    isSaving: saveTitle.isPending,
    save: async (then: () => Promise<void>) => {
      setErrors({})
      const wentOn = noteHand()
      try {
        await saveTitle.mutateAsync({ batch_id, ...name })
        await then()
      } catch (error) {
        if (error instanceof ApiError && ofTitle(error)) {
          setErrors({ [error.field ?? 'title']: error.message })
          if (!wentOn()) document.getElementById(error.field === 'month' ? 'send-month' : 'send-title')?.focus()
        }
      }
    },
  }
}
