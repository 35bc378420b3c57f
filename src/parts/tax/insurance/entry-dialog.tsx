import { Button } from 'antd'
import { useState } from 'react'
import { type InsuranceEntry, type MemberInsurance, saveMemberInsurance } from '../../../../server/contract/wage/insurance.ts'
import { type InsuranceCode, insuranceCodes, insuranceNames } from '../../../../server/contract/wage/kinds.ts'
import { ApiError, useCall } from '../../../api.ts'
import { CheckBox } from '../../../ui/form/fields.tsx'
import { Dropdown, MultiSelect, unchosen } from '../../../ui/form/select.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Money } from '../../../ui/value/money.tsx'
import { FenField, Labelled, MonthField, RateField } from '../fields.tsx'
import styles from '../tax.module.css'
import { emptyEntry, wrongAt } from './words.ts'

type Line = { readonly key: number; readonly entry: InsuranceEntry }
const codes = insuranceCodes.map((value) => ({ value, label: insuranceNames[value] }))

/** What one person is insured by, adjustment by adjustment; the newest first. */
export function EntryDialog(props: { person: MemberInsurance; cities: readonly string[]; month: string; onClose: () => void }) {
  const { person, cities, month, onClose } = props
  const { member_id, version, name, last_year } = person
  const [lines, setLines] = useState<readonly Line[]>(() =>
    person.entries.length > 0
      ? person.entries.map((entry, key) => ({ key, entry }))
      : [{ key: 0, entry: emptyEntry(month, cities[0] ?? '') }],
  )
  const [wrong, setWrong] = useState<{ at: number; name: string; text: string } | null>(null)
  const save = useCall(saveMemberInsurance, { handles: (error) => wrongAt(error.field) !== null })
  const change = (changed: readonly Line[]) => {
    setLines(changed)
    setWrong(null)
  }
  const add = () => {
    const [newest] = lines
    const entry = newest ? { ...newest.entry, from: month } : emptyEntry(month, cities[0] ?? '')
    change([{ key: 1 + Math.max(-1, ...lines.map(({ key }) => key)), entry }, ...lines])
  }
  const confirm = () =>
    save.mutate(
      { members: [{ member_id, version, entries: lines.map(({ entry }) => entry) }] },
      {
        onSuccess: () => {
          toast.done(`已保存 ${name} 的缴费基数`)
          onClose()
        },
        onError: (error) => {
          const place = error instanceof ApiError ? wrongAt(error.field) : null
          if (place) setWrong({ ...place, text: error.message })
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
          <Button icon={<Icon name="add" />} onClick={add}>
            添加一次调整
          </Button>
          {last_year && (
            <span className="ui-label">
              上年月平均工资 <Money fen={last_year.average_fen} />（{last_year.months} 个月的工资条）
            </span>
          )}
        </div>
        {lines.map(({ key, entry }, at) => (
          <EntryForm
            key={key}
            entry={entry}
            cities={cities}
            average_fen={last_year?.average_fen ?? null}
            wrong={wrong?.at === at ? wrong : null}
            onChange={(changed) => change(lines.map((line) => (line.key === key ? { key, entry: changed } : line)))}
            onRemove={() => change(lines.filter((line) => line.key !== key))}
          />
        ))}
      </div>
    </Dialog>
  )
}

type EntryProps = {
  entry: InsuranceEntry
  cities: readonly string[]
  average_fen: number | null
  wrong: { name: string; text: string } | null
  onChange: (entry: InsuranceEntry) => void
  onRemove: () => void
}
function EntryForm({ entry, cities, average_fen, wrong, onChange, onRemove }: EntryProps) {
  const errorOf = (field: string) => (wrong?.name === field ? wrong.text : undefined)
  const all = [...new Set([...cities, ...(entry.city ? [entry.city] : [])])]
  return (
    <fieldset className={styles.entry} data-wrong={wrong !== null || undefined} aria-label={`${entry.from} 起`}>
      <div className={styles.entryHead}>
        <strong>{entry.from} 起</strong>
        <CheckBox checked={entry.insured} onChange={(insured) => onChange({ ...entry, insured })}>
          参保
        </CheckBox>
        <button type="button" className="ui-icon-button" aria-label={`删除 ${entry.from} 起的基数`} onClick={onRemove}>
          <Icon name="trash" />
        </button>
      </div>
      <div className={styles.fields}>
        <Labelled label="从哪个月起" error={errorOf('from')}>
          <MonthField
            label="从哪个月起"
            clear={false}
            value={entry.from}
            onChange={(from) => from && onChange({ ...entry, from })}
          />
        </Labelled>
        {entry.insured && (
          <>
            <Labelled label="参保城市" error={errorOf('city')}>
              <Dropdown<string>
                label="参保城市"
                width="100%"
                {...(entry.city ? { value: entry.city } : {})}
                options={all.map((value) => ({ value, label: value }))}
                onChange={(city) => city !== unchosen && onChange({ ...entry, city })}
              />
            </Labelled>
            <Labelled label="社保缴费基数" error={errorOf('social_fen')}>
              <FenField
                label="社保缴费基数"
                value={entry.social_fen || null}
                onChange={(fen) => onChange({ ...entry, social_fen: fen ?? 0 })}
              />
              {average_fen !== null && average_fen !== entry.social_fen && (
                <button type="button" className={styles.take} onClick={() => onChange({ ...entry, social_fen: average_fen })}>
                  用上年月平均
                </button>
              )}
            </Labelled>
            <FundFields {...{ entry, onChange, errorOf }} />
          </>
        )}
      </div>
    </fieldset>
  )
}

type FundProps = Pick<EntryProps, 'entry' | 'onChange'> & { errorOf: (field: string) => string | undefined }
const FundFields = ({ entry, onChange, errorOf }: FundProps) => (
  <>
    <Labelled label="公积金基数" error={errorOf('housing_fund_fen')}>
      <FenField
        label="公积金基数"
        hint="不填表示与社保相同"
        value={entry.housing_fund_fen}
        onChange={(housing_fund_fen) => onChange({ ...entry, housing_fund_fen })}
      />
    </Labelled>
    <Labelled label="公积金比例" error={errorOf('housing_fund_ppm')}>
      <RateField
        label="公积金比例"
        hint="不填表示不缴"
        value={entry.housing_fund_ppm}
        onChange={(housing_fund_ppm) => onChange({ ...entry, housing_fund_ppm })}
      />
    </Labelled>
    <Labelled label="补充公积金比例" error={errorOf('supplementary_ppm')}>
      <RateField
        label="补充公积金比例"
        hint="不填表示不缴"
        value={entry.supplementary_ppm}
        onChange={(supplementary_ppm) => onChange({ ...entry, supplementary_ppm })}
      />
    </Labelled>
    <Labelled label="不参加的险种" wide>
      <MultiSelect<InsuranceCode>
        placeholder="都参加"
        options={codes}
        value={entry.not_enrolled}
        onChange={(not_enrolled) => onChange({ ...entry, not_enrolled })}
      />
    </Labelled>
  </>
)
