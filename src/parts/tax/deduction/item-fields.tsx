import { Input, Segmented } from 'antd'
import { type DeductionFieldName, type DeductionItem, deductionFieldNames } from '../../../../server/contract/wage/deductions.ts'
import { deductionWords } from '../../../../server/contract/wage/kinds.ts'
import { DateField } from '../../../ui/form/date-field.tsx'
import { CheckBox } from '../../../ui/form/fields.tsx'
import { Dropdown, unchosen } from '../../../ui/form/select.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { FenField, Labelled, MonthField } from '../fields.tsx'
import styles from '../tax.module.css'
import { fieldsOf, tierWords } from './words.ts'

type Props = {
  item: DeductionItem
  onChange: (item: DeductionItem) => void
  onRemove: () => void
  wrong: { name: string; text: string } | null
}
const tiers = tierWords.map((label, at) => ({ value: at + 1, label }))
/** Whether a month may stay open. */
const isEnd = (name: DeductionFieldName) => name === 'to'

function Field({ name, label, item, onChange }: { name: DeductionFieldName; label: string } & Pick<Props, 'item' | 'onChange'>) {
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
          clear={isEnd(name)}
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
        <CheckBox checked={item.only_child} onChange={(only_child) => onChange({ ...item, only_child })}>
          是独生子女
        </CheckBox>
      )
    case 'amount_fen':
      return <FenField label={label} value={item.amount_fen} onChange={(amount_fen) => onChange({ ...item, amount_fen })} />
    case 'city_tier':
      return (
        <Dropdown<number>
          label={label}
          width="100%"
          {...(item.city_tier === null ? {} : { value: item.city_tier })}
          options={tiers}
          onChange={(tier) => onChange({ ...item, city_tier: tier === unchosen ? null : tier })}
        />
      )
  }
}

/** One deduction as it is entered: only what its kind asks for. */
export function ItemFields({ item, onChange, onRemove, wrong }: Props) {
  const labels = fieldsOf[item.kind]
  const fields = deductionFieldNames.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]] as const]))
  const shown = fields.filter(([name]) => !(name === 'amount_fen' && item.kind === 'elderly' && item.only_child))
  const isElsewhere = wrong !== null && !shown.some(([name]) => name === wrong.name)
  return (
    <fieldset className={styles.entry} data-wrong={wrong !== null || undefined} aria-label={deductionWords[item.kind]}>
      <div className={styles.entryHead}>
        <strong>{deductionWords[item.kind]}</strong>
        <button type="button" className="ui-icon-button" aria-label={`删除 ${deductionWords[item.kind]}`} onClick={onRemove}>
          <Icon name="trash" />
        </button>
      </div>
      <div className={styles.fields}>
        {shown.map(([name, label]) => (
          <Labelled key={name} label={label} wide={name === 'city_tier'} error={wrong?.name === name ? wrong.text : undefined}>
            <Field {...{ name, label, item, onChange }} />
          </Labelled>
        ))}
      </div>
      {isElsewhere && (
        <p className={styles.wrong} role="alert">
          {wrong.text}
        </p>
      )}
    </fieldset>
  )
}
