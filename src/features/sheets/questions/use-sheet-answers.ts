import { useState } from 'react'
import type { ColumnRole } from '../../../../server/contract/shared/schemas.ts'
import {
  type Column,
  checkRequireColumnData,
  uploadWageExcel,
  type WageSheetInfo,
} from '../../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../../api.ts'
import { isExclusiveRole, missingRoleLabels } from '../labels.ts'
import { createUploadId } from '../upload/use-upload.ts'
import type { QuestionAnswer } from './questions.tsx'

/** The answers about columns, and their consequences. */
export function useSheetAnswers(info: WageSheetInfo) {
  const { batch_id } = info
  /** The number of employees who cannot be matched by name, in a sheet without any other identifier. */
  const [unmatchedCount, setUnmatchedCount] = useState(0)
  const [missingRoles, setMissingRoles] = useState<readonly string[]>([])
  const saveAnswers = useCallMutation(checkRequireColumnData)
  const selectSheets = useCallMutation(uploadWageExcel)
  const save = (input: Omit<Parameters<typeof saveAnswers.mutate>[0], 'batch_id' | 'columns'>) =>
    saveAnswers.mutate({ batch_id, columns: [], ...input })
  return {
    strangers: unmatchedCount,
    messages: missingRoles,
    set: save,
    isSaving: saveAnswers.isPending,
    isChoosing: selectSheets.isPending,
    onSheets: (names: readonly string[]) =>
      selectSheets.mutate({ batch_id, sheet: names.join('\n'), upload_id: createUploadId() }),
    onRole: ({ key }: Column, role: ColumnRole) => {
      const others = isExclusiveRole(role) ? info.columns.filter((one) => one.role === role && one.key !== key) : []
      setMissingRoles([])
      setUnmatchedCount(0)
      saveAnswers.mutate({
        batch_id,
        columns: [{ key, role }, ...others.map((one) => ({ key: one.key, role: 'info' as const }))],
      })
    },
    answer: (answers: QuestionAnswer[]) => {
      // Sheets that belong to this one are read together with it, in the order of the file.
      const more = info.questions.find(({ id }) => answers.some((one) => one.id === id && one.value === 'all'))?.sheets
      if (!more) return save({ answers })
      const merged = info.sheets.filter(({ name: sheet, chosen }) => chosen || more.includes(sheet))
      selectSheets.mutate({ batch_id, sheet: merged.map(({ name: sheet }) => sheet).join('\n'), upload_id: createUploadId() })
    },
    /** Returns whether nothing is left to answer. */
    check: async (): Promise<boolean> => {
      const answer = await saveAnswers.mutateAsync({ batch_id, columns: [] })
      if (answer.ok && answer.open_question_count === 0) return true
      setMissingRoles(answer.missing.flatMap((word) => (word === 'mobile' ? [] : [missingRoleLabels[word]])))
      setUnmatchedCount(answer.missing.includes('mobile') ? answer.unmatched : 0)
      return false
    },
  }
}
