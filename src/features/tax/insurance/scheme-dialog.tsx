import { Button, Input } from 'antd'
import { useState } from 'react'
import {
  insuranceRoundings,
  type SchemeInfo,
  type SchemeItemView,
  type SchemeTemplate,
  saveInsuranceScheme,
} from '../../../../server/contract/tax/insurance.ts'
import { insuranceCodes, insuranceLabels } from '../../../../server/contract/tax/kinds.ts'
import { ApiError, useCallMutation } from '../../../api.ts'
import { Dropdown, noSelection } from '../../../components/form/select.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { ActionMenu } from '../../../components/table/action-menu.tsx'
import { AmountField, LabeledField, MonthField, RateField } from '../fields.tsx'
import styles from '../tax.module.css'
import { createEmptySchemeItem, parseFieldError, roundingLabels } from './labels.ts'

type SchemeFieldError = { readonly field: string; readonly text: string } | null
const unitOptions = [
  { value: 1, label: '到分' },
  { value: 10, label: '到角' },
  { value: 100, label: '到元' },
]
const roundingOptions = insuranceRoundings.map((value) => ({ value, label: roundingLabels[value] }))

/** A city's contribution scheme: its months, its official document, and each item. */
export function InsuranceSchemeDialog(props: {
  scheme: SchemeTemplate
  existing: SchemeInfo | null
  as_new_version: boolean
  onClose: () => void
}) {
  const { existing, as_new_version, onClose } = props
  const [scheme, setScheme] = useState<SchemeTemplate>(() => ({ ...props.scheme, items: [...props.scheme.items] }))
  const [fieldError, setFieldError] = useState<SchemeFieldError>(null)
  const save = useCallMutation(saveInsuranceScheme, { handles: (error) => error.field !== undefined })
  const change = (changes: Partial<SchemeTemplate>) => {
    setScheme({ ...scheme, ...changes })
    setFieldError(null)
  }
  const confirm = () => {
    const { city, valid_from, valid_to, document, items } = scheme
    const target = existing ? { scheme_id: existing.scheme_id, version: existing.version, as_new_version } : { scheme_id: null }
    save.mutate(
      { ...target, city, valid_from, valid_to, document, items },
      {
        onSuccess: ({ previous_period }) => {
          toast.success(
            previous_period
              ? `已保存；${previous_period.valid_from} 起的方案现在到 ${previous_period.valid_to} 为止`
              : '已保存参保方案',
          )
          onClose()
        },
        onError: (error) => {
          if (error instanceof ApiError && error.field) setFieldError({ field: error.field, text: error.message })
        },
      },
    )
  }
  const getError = (field: string) => (fieldError?.field === field ? fieldError.text : undefined)
  const itemError = parseFieldError(fieldError?.field)
  const availableCodes = insuranceCodes.filter((code) => !scheme.items.some((item) => item.code === code))
  const headerFields = ['city', 'valid_from', 'valid_to', 'document']
  return (
    <Dialog
      open
      width={860}
      title={existing ? (as_new_version ? `${existing.city}参保方案：新版本` : `修改${existing.city}参保方案`) : '添加参保方案'}
      action={as_new_version ? '保存为新版本' : '保存'}
      busy={save.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className={styles.form}>
        {as_new_version && <p className="ui-label">已锁定的月份仍按原来的版本，之后的计算用新版本。</p>}
        <SchemeHeaderFields {...{ scheme, change, getError }} />
        {scheme.items.map((item, index) => (
          <SchemeItemForm
            key={item.code}
            item={item}
            error={itemError?.at === index && fieldError ? { name: itemError.name, text: fieldError.text } : null}
            onChange={(changed) => change({ items: scheme.items.map((other) => (other.code === item.code ? changed : other)) })}
            onRemove={() => change({ items: scheme.items.filter(({ code }) => code !== item.code) })}
          />
        ))}
        {fieldError && !itemError && !headerFields.includes(fieldError.field) && (
          <p className={styles.wrong} role="alert">
            {fieldError.text}
          </p>
        )}
        {availableCodes.length > 0 && (
          <AddItemMenu
            free={availableCodes}
            onAdd={(code) => change({ items: [...scheme.items, createEmptySchemeItem(code)] })}
          />
        )}
      </div>
    </Dialog>
  )
}

type SchemeItemCode = (typeof insuranceCodes)[number]
const AddItemMenu = ({
  free: availableCodes,
  onAdd,
}: {
  free: readonly SchemeItemCode[]
  onAdd: (code: SchemeItemCode) => void
}) => (
  <ActionMenu
    items={availableCodes.map((key) => ({ key, label: insuranceLabels[key] }))}
    onChoose={(key) => {
      const code = availableCodes.find((candidate) => candidate === key)
      if (code) onAdd(code)
    }}
  >
    {(trigger) => (
      <Button ref={trigger} icon={<Icon name="add" />} style={{ alignSelf: 'flex-start' }}>
        添加险种
      </Button>
    )}
  </ActionMenu>
)

type SchemeHeaderProps = {
  scheme: SchemeTemplate
  change: (part: Partial<SchemeTemplate>) => void
  getError: (field: string) => string | undefined
}
const SchemeHeaderFields = ({ scheme, change, getError }: SchemeHeaderProps) => (
  <div className={styles.fields}>
    <LabeledField label="城市" error={getError('city')}>
      <Input aria-label="城市" value={scheme.city} maxLength={20} onChange={({ target }) => change({ city: target.value })} />
    </LabeledField>
    <LabeledField label="从哪个月起" error={getError('valid_from')}>
      <MonthField
        label="从哪个月起"
        clear={false}
        value={scheme.valid_from}
        onChange={(month) => month && change({ valid_from: month })}
      />
    </LabeledField>
    <LabeledField label="到哪个月止" error={getError('valid_to')}>
      <MonthField label="到哪个月止" value={scheme.valid_to} onChange={(valid_to) => change({ valid_to })} />
    </LabeledField>
    <LabeledField label="依据的文件" wide error={getError('document')}>
      <Input
        aria-label="依据的文件"
        value={scheme.document}
        maxLength={300}
        placeholder="如：某市人力资源和社会保障局2026年缴费标准通知"
        onChange={({ target }) => change({ document: target.value })}
      />
    </LabeledField>
  </div>
)

type SchemeItemFormProps = {
  item: SchemeItemView
  error: { name: string; text: string } | null
  onChange: (item: SchemeItemView) => void
  onRemove: () => void
}
function SchemeItemForm({ item, error, onChange, onRemove }: SchemeItemFormProps) {
  const name = insuranceLabels[item.code]
  const hasRateRange = item.from_ppm !== null || item.to_ppm !== null
  const getError = (field: string) => (error?.name === field ? error.text : undefined)
  const renderRateField = (field: 'employee_ppm' | 'employer_ppm' | 'from_ppm' | 'to_ppm', label: string) => (
    <LabeledField label={label} error={getError(field)}>
      <RateField label={`${name}${label}`} value={item[field]} onChange={(ppm) => onChange({ ...item, [field]: ppm })} />
    </LabeledField>
  )
  return (
    <fieldset className={styles.entry} data-wrong={error !== null || undefined} aria-label={name}>
      <div className={styles.entryHead}>
        <strong>{name}</strong>
        <button type="button" className="ui-icon-button" aria-label={`删除 ${name}`} onClick={onRemove}>
          <Icon name="trash" />
        </button>
      </div>
      <div className={styles.fields}>
        <LabeledField label="基数下限" error={getError('floor_fen')}>
          <AmountField
            label={`${name}基数下限`}
            value={item.floor_fen}
            onChange={(fen) => onChange({ ...item, floor_fen: fen ?? 0 })}
          />
        </LabeledField>
        <LabeledField label="基数上限" error={getError('ceiling_fen')}>
          <AmountField
            label={`${name}基数上限`}
            hint="不填表示没有上限"
            value={item.ceiling_fen}
            onChange={(ceiling_fen) => onChange({ ...item, ceiling_fen })}
          />
        </LabeledField>
        {hasRateRange ? (
          <>
            {renderRateField('from_ppm', '最低比例')}
            {renderRateField('to_ppm', '最高比例')}
          </>
        ) : (
          <>
            {renderRateField('employee_ppm', '个人比例')}
            {renderRateField('employer_ppm', '单位比例')}
            <LabeledField label="个人另缴定额" error={getError('employee_fixed_fen')}>
              <AmountField
                label={`${name}个人另缴定额`}
                value={item.employee_fixed_fen}
                onChange={(fen) => onChange({ ...item, employee_fixed_fen: fen ?? 0 })}
              />
            </LabeledField>
          </>
        )}
        <LabeledField label="取整">
          <div className={styles.pair}>
            <Dropdown<SchemeItemView['mode']>
              label={`${name}取整方式`}
              width="100%"
              value={item.mode}
              options={roundingOptions}
              onChange={(mode) => mode !== noSelection && onChange({ ...item, mode })}
            />
            <Dropdown<number>
              label={`${name}取整单位`}
              width="100%"
              value={item.unit_fen}
              options={unitOptions}
              onChange={(unit_fen) => onChange({ ...item, unit_fen })}
            />
          </div>
        </LabeledField>
      </div>
      {getError('code') && <p className={styles.wrong}>{getError('code')}</p>}
    </fieldset>
  )
}
