import { Input, Segmented } from 'antd'
import { type DeductionFieldName, type DeductionItem, deductionFieldNames } from '../../../../server/contract/tax/deductions.ts'
import { deductionLabels } from '../../../../server/contract/tax/kinds.ts'
import { DateField } from '../../../components/form/date-field.tsx'
import { CheckboxField } from '../../../components/form/fields.tsx'
import { Dropdown, noSelection } from '../../../components/form/select.tsx'
import { Icon } from '../../../components/icon.tsx'
import { AmountField, LabeledField, MonthField } from '../fields.tsx'
import styles from '../tax.module.css'
import { cityTierLabels, fieldLabelsByKind } from './labels.ts'

type ItemFieldsProps = {
  item: DeductionItem
  onChange: (item: DeductionItem) => void
  onRemove: () => void
  error: { name: string; text: string } | null
}
const tierOptions = cityTierLabels.map((label, at) => ({ value: at + 1, label }))
/** Returns whether a month may stay open-ended. */
const isEndMonth = (name: DeductionFieldName) => name === 'to'

function DeductionField({
  name,
  label,
  item,
  onChange,
}: { name: DeductionFieldName; label: string } & Pick<ItemFieldsProps, 'item' | 'onChange'>) {
  switch (name) {
    case 'whose':
      return (
        <Input
          aria-label={label}
          value={item.whose}
          maxLength={60}
          autoComplete="off"
          onChange={({ target }) => onChange({ ...item, whose: target.value })}
        />
      )
    case 'born':
      return <DateField label={label} value={item.born} onChange={(born) => onChange({ ...item, born })} />
    case 'from':
    case 'to':
      return (
        <MonthField
          label={label}
          value={item[name]}
          clear={isEndMonth(name)}
          onChange={(month) => onChange({ ...item, [name]: month })}
        />
      )
    case 'share':
      return (
        <Segmented<DeductionItem['share']>
          aria-label={label}
          value={item.share}
          options={[
            { value: 'whole', label: '本人 100%' },
            { value: 'half', label: '各 50%' },
          ]}
          onChange={(share) => onChange({ ...item, share })}
        />
      )
    case 'only_child':
      return (
        <CheckboxField checked={item.only_child} onChange={(only_child) => onChange({ ...item, only_child })}>
          是独生子女
        </CheckboxField>
      )
    case 'amount_fen':
      return <AmountField label={label} value={item.amount_fen} onChange={(amount_fen) => onChange({ ...item, amount_fen })} />
    case 'city_tier':
      return (
        <Dropdown<number>
          label={label}
          width="100%"
          {...(item.city_tier === null ? {} : { value: item.city_tier })}
          options={tierOptions}
          onChange={(tier) => onChange({ ...item, city_tier: tier === noSelection ? null : tier })}
        />
      )
  }
}

/** One deduction as it is entered, with only the fields of its kind. */
export function DeductionItemFields({ item, onChange, onRemove, error }: ItemFieldsProps) {
  const labels = fieldLabelsByKind[item.kind]
  const fields = deductionFieldNames.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]] as const]))
  const visibleFields = fields.filter(([name]) => !(name === 'amount_fen' && item.kind === 'elderly' && item.only_child))
  const isErrorHidden = error !== null && !visibleFields.some(([name]) => name === error.name)
  return (
    <fieldset className={styles.entry} data-wrong={error !== null || undefined} aria-label={deductionLabels[item.kind]}>
      <div className={styles.entryHead}>
        <strong>{deductionLabels[item.kind]}</strong>
        <button type="button" className="ui-icon-button" aria-label={`删除 ${deductionLabels[item.kind]}`} onClick={onRemove}>
          <Icon name="trash" />
        </button>
      </div>
      <div className={styles.fields}>
        {visibleFields.map(([name, label]) => (
          <LabeledField
            key={name}
            label={label}
            wide={name === 'city_tier'}
            error={error?.name === name ? error.text : undefined}
          >
            <DeductionField {...{ name, label, item, onChange }} />
          </LabeledField>
        ))}
      </div>
      {isErrorHidden && (
        <p className={styles.wrong} role="alert">
          {error.text}
        </p>
      )}
    </fieldset>
  )
}
