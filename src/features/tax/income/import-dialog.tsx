import { type IncomeImportRow, importIncome } from '../../../../server/contract/tax/periods.ts'
import { useCallMutation } from '../../../api.ts'
import { toast } from '../../../components/overlay/toast.ts'
import { formatMonth } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import { AmountChange } from '../import/amount-change.tsx'
import { useFilePreview } from '../import/file-picker.tsx'
import { ListImportDialog } from '../import/list-import-dialog.tsx'
import { type AmountColumn, ImportPlanView } from '../import/plan-view.tsx'
import type { PeriodDetail } from '../period/labels.ts'

const columns: readonly AmountColumn<IncomeImportRow>[] = [
  {
    title: '本期收入',
    render: ({ before_income_fen, income_fen }) => <AmountChange before={before_income_fen} after={income_fen} />,
  },
  { title: '五险一金个人', render: ({ special_fen }) => (special_fen === null ? '按参保方案' : <Money fen={special_fen} />) },
  { title: '年终奖单独计税', render: ({ bonus_fen }) => (bonus_fen ? <Money fen={bonus_fen} /> : '—') },
]

/** Imports the incomes of a month for many members from a list. */
export function ImportIncomeDialog({ period, onClose }: { period: PeriodDetail; onClose: () => void }) {
  const { period_id, month } = period
  const preview = useCallMutation(importIncome, { handles: () => true })
  const applyImport = useCallMutation(importIncome)
  // The file is sent in addition to the fields of the contract.
  const toRequest = (file: File) => ({ file, period_id })
  const { file, error, take } = useFilePreview((selected) => preview.mutateAsync(toRequest(selected)))
  const plan = file ? (preview.data ?? null) : null
  const apply = () => {
    if (!file) return
    const request = { ...toRequest(file), apply: '1' as const }
    applyImport.mutate(request, {
      onSuccess: ({ people }) => {
        toast.success(`已导入 ${people} 人的收入，请重新计算`)
        onClose()
      },
    })
  }
  return (
    <ListImportDialog
      title={`导入${formatMonth(month)}的收入`}
      description="表里有姓名和本期收入即可，扣缴端的「正常工资薪金收入」模板也能读。先核对变化，确认后才写入；导入的数代替从工资批次引入的数。"
      sample="income"
      file={{ name: file, label: '收入表', error, busy: preview.isPending, onFile: take }}
      plan={plan}
      notListedText={(people) => `本期其余 ${people} 人的收入不变。`}
      busy={applyImport.isPending}
      onConfirm={apply}
      onClose={onClose}
    >
      {plan && <ImportPlanView plan={plan} verb="导入" label="收入" columns={columns} />}
    </ListImportDialog>
  )
}
