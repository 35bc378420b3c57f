import { useState } from 'react'
import { type InsuranceImportRow, importInsurance } from '../../../../server/contract/tax/insurance.ts'
import { useCallMutation } from '../../../api.ts'
import { toast } from '../../../components/overlay/toast.ts'
import { formatRate, LabeledField, MonthField } from '../fields.tsx'
import { AmountChange } from '../import/amount-change.tsx'
import { useFilePreview } from '../import/file-picker.tsx'
import { ListImportDialog } from '../import/list-import-dialog.tsx'
import { type AmountColumn, ImportPlanView } from '../import/plan-view.tsx'
import styles from '../tax.module.css'
import { NewMemberCityField } from './new-member-city-field.tsx'

const columns: readonly AmountColumn<InsuranceImportRow>[] = [
  { title: '参保城市', render: ({ city }) => city },
  {
    title: '社保基数',
    render: ({ before_social_fen, social_fen }) => <AmountChange before={before_social_fen} after={social_fen} />,
  },
  {
    title: '公积金基数',
    render: ({ before_housing_fund_fen, housing_fund_fen }) => (
      <AmountChange before={before_housing_fund_fen} after={housing_fund_fen} />
    ),
  },
  {
    title: '公积金比例',
    render: ({ housing_fund_ppm }) => (housing_fund_ppm === null ? '—' : `${formatRate(housing_fund_ppm)}%`),
  },
]

/** Imports the contribution bases of many members from a list. */
export function ImportInsuranceDialog(props: { cities: readonly string[]; month: string; onClose: () => void }) {
  const { cities, month, onClose } = props
  const [from, setFrom] = useState(month)
  // With one scheme there is nothing to choose; with several, none is assumed.
  const [city, setCity] = useState(cities.length === 1 ? (cities[0] ?? '') : '')
  const preview = useCallMutation(importInsurance, { handles: () => true })
  const applyImport = useCallMutation(importInsurance)
  // The file is sent in addition to the fields of the contract.
  const toRequest = (file: File, options: { from: string; city: string }) => ({ file, ...options })
  const { file, error, take } = useFilePreview((selected) => preview.mutateAsync(toRequest(selected, { from, city })))
  const change = (options: { from: string; city: string }) => {
    setFrom(options.from)
    setCity(options.city)
    if (file) preview.mutate(toRequest(file, options))
  }
  const plan = file ? (preview.data ?? null) : null
  const apply = () => {
    if (!file) return
    const request = { ...toRequest(file, { from, city }), apply: '1' as const }
    applyImport.mutate(request, {
      onSuccess: ({ people }) => {
        toast.success(`已导入 ${people} 人的缴费基数，从 ${from} 起`)
        onClose()
      },
    })
  }
  return (
    <ListImportDialog
      title="导入缴费基数"
      description="表里有姓名和社保基数、公积金基数即可；先核对变化，确认后才写入。以前月份的基数不变。"
      sample="insurance"
      fields={
        <div className={styles.fields}>
          <LabeledField label="从哪个月起">
            <MonthField label="从哪个月起" clear={false} value={from} onChange={(next) => next && change({ from: next, city })} />
          </LabeledField>
          <NewMemberCityField cities={cities} city={city} onChange={(next) => change({ from, city: next })} />
        </div>
      }
      file={{
        name: file,
        label: '缴费基数表',
        error: error ?? preview.error?.message ?? null,
        busy: preview.isPending,
        onFile: take,
      }}
      plan={plan}
      notListedText={(people) => `其余 ${people} 人的基数不变。`}
      busy={applyImport.isPending}
      onConfirm={apply}
      onClose={onClose}
    >
      {plan && <ImportPlanView plan={plan} verb="导入" label="缴费基数" columns={columns} />}
    </ListImportDialog>
  )
}
