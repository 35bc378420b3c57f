import { Button } from 'antd'
import { useState } from 'react'
import { type InsuranceEntry, type MemberInsurance, saveMemberInsurance } from '../../../../server/contract/tax/insurance.ts'
import { type InsuranceCode, insuranceCodes, insuranceLabels } from '../../../../server/contract/tax/kinds.ts'
import { ApiError, useCallMutation } from '../../../api.ts'
import { CheckboxField } from '../../../components/form/fields.tsx'
import { Dropdown, MultiSelect, noSelection } from '../../../components/form/select.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { Money } from '../../../components/value/money.tsx'
import { AmountField, LabeledField, MonthField, RateField } from '../fields.tsx'
import styles from '../tax.module.css'
import { createEmptyEntry, parseFieldError } from './labels.ts'

type EntryLine = { readonly key: number; readonly entry: InsuranceEntry }
const insuranceOptions = insuranceCodes.map((value) => ({ value, label: insuranceLabels[value] }))

/** One member's insurance entries, newest first. */
export function MemberInsuranceDialog(props: {
  person: MemberInsurance
  cities: readonly string[]
  month: string
  onClose: () => void
}) {
  const { person: member, cities, month, onClose } = props
  const { member_id, version, name, last_year } = member
  const [lines, setLines] = useState<readonly EntryLine[]>(() =>
    member.entries.length > 0
      ? member.entries.map((entry, key) => ({ key, entry }))
      : [{ key: 0, entry: createEmptyEntry(month, cities[0] ?? '') }],
  )
  const [entryError, setEntryError] = useState<{ at: number; name: string; text: string } | null>(null)
  const save = useCallMutation(saveMemberInsurance, { handles: (error) => parseFieldError(error.field) !== null })
  const updateLines = (changed: readonly EntryLine[]) => {
    setLines(changed)
    setEntryError(null)
  }
  const addEntry = () => {
    const [newest] = lines
    const entry = newest ? { ...newest.entry, from: month } : createEmptyEntry(month, cities[0] ?? '')
    updateLines([{ key: 1 + Math.max(-1, ...lines.map(({ key }) => key)), entry }, ...lines])
  }
  const confirm = () =>
    save.mutate(
      { members: [{ member_id, version, entries: lines.map(({ entry }) => entry) }] },
      {
        onSuccess: () => {
          toast.success(`已保存 ${name} 的缴费基数`)
          onClose()
        },
        onError: (error) => {
          const position = error instanceof ApiError ? parseFieldError(error.field) : null
          if (position) setEntryError({ ...position, text: error.message })
        },
      },
    )
  return (
    <Dialog
      open
      width={760}
      title={`${name} 的五险一金`}
      action="保存"
      busy={save.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className={styles.form}>
        <div className="ui-row">
          <Button icon={<Icon name="add" />} onClick={addEntry}>
            添加一次调整
          </Button>
          {last_year && (
            <span className="ui-label">
              上年月平均工资 <Money fen={last_year.average_fen} />（{last_year.months} 个月的工资条）
            </span>
          )}
        </div>
        {lines.map(({ key, entry }, index) => (
          <EntryForm
            key={key}
            entry={entry}
            cities={cities}
            average_fen={last_year?.average_fen ?? null}
            error={entryError?.at === index ? entryError : null}
            onChange={(changed) => updateLines(lines.map((line) => (line.key === key ? { key, entry: changed } : line)))}
            onRemove={() => updateLines(lines.filter((line) => line.key !== key))}
          />
        ))}
      </div>
    </Dialog>
  )
}

type EntryFormProps = {
  entry: InsuranceEntry
  cities: readonly string[]
  average_fen: number | null
  error: { name: string; text: string } | null
  onChange: (entry: InsuranceEntry) => void
  onRemove: () => void
}
function EntryForm({ entry, cities, average_fen, error, onChange, onRemove }: EntryFormProps) {
  const getError = (field: string) => (error?.name === field ? error.text : undefined)
  const cityOptions = [...new Set([...cities, ...(entry.city ? [entry.city] : [])])]
  return (
    <fieldset className={styles.entry} data-wrong={error !== null || undefined} aria-label={`${entry.from} 起`}>
      <div className={styles.entryHead}>
        <strong>{entry.from} 起</strong>
        <CheckboxField checked={entry.insured} onChange={(insured) => onChange({ ...entry, insured })}>
          参保
        </CheckboxField>
        <button type="button" className="ui-icon-button" aria-label={`删除 ${entry.from} 起的基数`} onClick={onRemove}>
          <Icon name="trash" />
        </button>
      </div>
      <div className={styles.fields}>
        <LabeledField label="从哪个月起" error={getError('from')}>
          <MonthField
            label="从哪个月起"
            clear={false}
            value={entry.from}
            onChange={(from) => from && onChange({ ...entry, from })}
          />
        </LabeledField>
        {entry.insured && (
          <>
            <LabeledField label="参保城市" error={getError('city')}>
              <Dropdown<string>
                label="参保城市"
                width="100%"
                {...(entry.city ? { value: entry.city } : {})}
                options={cityOptions.map((value) => ({ value, label: value }))}
                onChange={(city) => city !== noSelection && onChange({ ...entry, city })}
              />
            </LabeledField>
            <LabeledField label="社保缴费基数" error={getError('social_fen')}>
              <AmountField
                label="社保缴费基数"
                value={entry.social_fen || null}
                onChange={(fen) => onChange({ ...entry, social_fen: fen ?? 0 })}
              />
              {average_fen !== null && average_fen !== entry.social_fen && (
                <button type="button" className={styles.take} onClick={() => onChange({ ...entry, social_fen: average_fen })}>
                  用上年月平均
                </button>
              )}
            </LabeledField>
            <HousingFundFields {...{ entry, onChange, getError }} />
          </>
        )}
      </div>
    </fieldset>
  )
}

type FundFieldsProps = Pick<EntryFormProps, 'entry' | 'onChange'> & { getError: (field: string) => string | undefined }
const HousingFundFields = ({ entry, onChange, getError }: FundFieldsProps) => (
  <>
    <LabeledField label="公积金基数" error={getError('housing_fund_fen')}>
      <AmountField
        label="公积金基数"
        hint="不填表示与社保相同"
        value={entry.housing_fund_fen}
        onChange={(housing_fund_fen) => onChange({ ...entry, housing_fund_fen })}
      />
    </LabeledField>
    <LabeledField label="公积金比例" error={getError('housing_fund_ppm')}>
      <RateField
        label="公积金比例"
        hint="不填表示不缴"
        value={entry.housing_fund_ppm}
        onChange={(housing_fund_ppm) => onChange({ ...entry, housing_fund_ppm })}
      />
    </LabeledField>
    <LabeledField label="补充公积金比例" error={getError('supplementary_ppm')}>
      <RateField
        label="补充公积金比例"
        hint="不填表示不缴"
        value={entry.supplementary_ppm}
        onChange={(supplementary_ppm) => onChange({ ...entry, supplementary_ppm })}
      />
    </LabeledField>
    <LabeledField label="不参加的险种" wide>
      <MultiSelect<InsuranceCode>
        placeholder="都参加"
        options={insuranceOptions}
        value={entry.not_enrolled}
        onChange={(not_enrolled) => onChange({ ...entry, not_enrolled })}
      />
    </LabeledField>
  </>
)
