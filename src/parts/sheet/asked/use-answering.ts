import { useState } from 'react'
import { type Column, checkRequireColumnData, type SheetInfo, uploadWageExcel } from '../../../../server/contract/sheet/sheet.ts'
import type { ColumnRole } from '../../../../server/contract/words/words.ts'
import { useCall } from '../../../api.ts'
import { newId } from '../upload/use-upload.ts'
import { missingWords, singleRoles } from '../words.ts'
import type { Answer } from './questions.tsx'

/** What is answered about the columns, and what follows from it. */
export function useAnswering(info: SheetInfo) {
  const { batch_id } = info
  /** People whom the name alone does not find, in a sheet that has nothing else to tell them by. */
  const [strangers, setStrangers] = useState(0)
  const [said, setSaid] = useState<readonly string[]>([])
  const setUp = useCall(checkRequireColumnData)
  const choose = useCall(uploadWageExcel)
  const set = (input: Omit<Parameters<typeof setUp.mutate>[0], 'batch_id' | 'columns'>) =>
    setUp.mutate({ batch_id, columns: [], ...input })
  return {
    strangers,
    said,
    set,
    isSaving: setUp.isPending,
    isChoosing: choose.isPending,
    onSheets: (names: readonly string[]) => choose.mutate({ batch_id, sheet: names.join('\n'), upload_id: newId() }),
    onRole: ({ key }: Column, role: ColumnRole) => {
      const others = singleRoles.has(role) ? info.columns.filter((one) => one.role === role && one.key !== key) : []
      setSaid([])
      setStrangers(0)
      setUp.mutate({ batch_id, columns: [{ key, role }, ...others.map((one) => ({ key: one.key, role: 'info' as const }))] })
    },
    answer: (answers: Answer[]) => {
      // Sheets that belong to it are read with it, in the order of the file.
      const more = info.questions.find(({ id }) => answers.some((one) => one.id === id && one.value === 'all'))?.sheets
      if (!more) return set({ answers })
      const together = info.sheets.filter(({ name: sheet, chosen }) => chosen || more.includes(sheet))
      choose.mutate({ batch_id, sheet: together.map(({ name: sheet }) => sheet).join('\n'), upload_id: newId() })
    },
    /** Whether nothing is left to answer. */
    check: async (): Promise<boolean> => {
      const answer = await setUp.mutateAsync({ batch_id, columns: [] })
      if (answer.ok && answer.open === 0) return true
      setSaid(answer.missing.flatMap((word) => (word === 'mobile' ? [] : [missingWords[word]])))
      setStrangers(answer.missing.includes('mobile') ? answer.unmatched : 0)
      return false
    },
  }
}
