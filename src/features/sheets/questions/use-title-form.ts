import { useState } from 'react'
import { insertBatchTitle } from '../../../../server/contract/sheets/sheet.ts'
import { ApiError, useCallMutation } from '../../../api.ts'
import { captureFocus } from '../../../components/form/focus.ts'
import type { TitleGuess } from '../labels.ts'
import { type TitleErrors, useTitleDraft } from '../title-form.tsx'

/** The title form; an invalid title is reported at its field. */
export function useTitleForm(batch_id: string, guess: TitleGuess) {
  const [name, setName] = useTitleDraft(guess)
  const [errors, setErrors] = useState<TitleErrors>({})
  const isTitleError = (error: ApiError) => error.field === 'title' || error.field === 'month'
  const saveTitle = useCallMutation(insertBatchTitle, { handles: isTitleError })
  return {
    name,
    setName,
    errors,
    isSaving: saveTitle.isPending,
    save: async (then: () => Promise<void>) => {
      setErrors({})
      const wentOn = captureFocus()
      try {
        await saveTitle.mutateAsync({ batch_id, ...name })
        await then()
      } catch (error) {
        if (error instanceof ApiError && isTitleError(error)) {
          setErrors({ [error.field ?? 'title']: error.message })
          if (!wentOn()) document.getElementById(error.field === 'month' ? 'send-month' : 'send-title')?.focus()
        }
      }
    },
  }
}
