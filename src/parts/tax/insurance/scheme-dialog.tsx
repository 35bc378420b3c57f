import { Button, Input } from 'antd'
import { useState } from 'react'
import {
  insuranceRoundings,
  type SchemeInfo,
  type SchemeItemInfo,
  type SchemeTemplate,
  saveInsuranceScheme,
} from '../../../../server/contract/wage/insurance.ts'
import { insuranceCodes, insuranceNames } from '../../../../server/contract/wage/kinds.ts'
import { ApiError, useCall } from '../../../api.ts'
import { Dropdown, unchosen } from '../../../ui/form/select.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Menu } from '../../../ui/table/menu.tsx'
import { FenField, Labelled, MonthField, RateField } from '../fields.tsx'
import styles from '../tax.module.css'
import { emptySchemeItem, roundingWords, wrongAt } from './words.ts'

type Wrong = { readonly field: string; readonly text: string } | null
const units = [
  { value: 1, label: '到分' },
  { value: 10, label: '到角' },
  { value: 100, label: '到元' },
]
const modes = insuranceRoundings.map((value) => ({ value, label: roundingWords[value] }))

/** A scheme of a city: its months, its document, and each item. */
export function SchemeDialog(props: {
  scheme: SchemeTemplate
  of: SchemeInfo | null
  as_new_version: boolean
  onClose: () => void
}) {
  const { of, as_new_version, onClose } = props
  const [scheme, setScheme] = useState<SchemeTemplate>(() => ({ ...props.scheme, items: [...props.scheme.items] }))
  const [wrong, setWrong] = useState<Wrong>(null)
  const save = useCall(saveInsuranceScheme, { handles: (error) => error.field !== undefined })
  const change = (part: Partial<SchemeTemplate>) => {
    setScheme({ ...scheme, ...part })
    setWrong(null)
  }
  const confirm = () => {
    const { city, valid_from, valid_to, document, items } = scheme
    const seen = of ? { scheme_id: of.scheme_id, version: of.version, as_new_version } : { scheme_id: null }
    save.mutate(
      { ...seen, city, valid_from, valid_to, document, items },
      {
        onSuccess: ({ closed }) => {
          toast.done(closed ? `已保存；${closed.valid_from} 起的方案现在到 ${closed.valid_to} 为止` : '已保存参保方案')
          onClose()
        },
        onError: (error) => {
          if (error instanceof ApiError && error.field) setWrong({ field: error.field, text: error.message })
        },
      },
    )
  }
  const errorOf = (field: string) => (wrong?.field === field ? wrong.text : undefined)
  const wrongItem = wrongAt(wrong?.field)
  const free = insuranceCodes.filter((code) => !scheme.items.some((item) => item.code === code))
  const known = ['city', 'valid_from', 'valid_to', 'document']
  return (
    <Dialog
      open
      width={860}
      title={of ? (as_new_version ? `${of.city}参保方案：新版本` : `修改${of.city}参保方案`) : '添加参保方案'}
      action={as_new_version ? '保存为新版本' : '保存'}
      busy={save.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className={styles.form}>
        {as_new_version && <p className="ui-label">已锁定的月份仍按原来的版本，之后的计算用新版本。</p>}
        <HeadFields {...{ scheme, change, errorOf }} />
        {scheme.items.map((item, at) => (
          <ItemForm
            key={item.code}
            item={item}
            wrong={wrongItem?.at === at && wrong ? { name: wrongItem.name, text: wrong.text } : null}
            onChange={(changed) => change({ items: scheme.items.map((one) => (one.code === item.code ? changed : one)) })}
            onRemove={() => change({ items: scheme.items.filter(({ code }) => code !== item.code) })}
          />
        ))}
        {wrong && !wrongItem && !known.includes(wrong.field) && (
          <p className={styles.wrong} role="alert">
            {wrong.text}
          </p>
        )}
        {free.length > 0 && <AddItem free={free} onAdd={(code) => change({ items: [...scheme.items, emptySchemeItem(code)] })} />}
      </div>
    </Dialog>
  )
}

type Code = (typeof insuranceCodes)[number]
const AddItem = ({ free, onAdd }: { free: readonly Code[]; onAdd: (code: Code) => void }) => (
  <Menu
    items={free.map((key) => ({ key, label: insuranceNames[key] }))}
    onChoose={(key) => {
      const code = free.find((one) => one === key)
      if (code) onAdd(code)
    }}
  >
    {(trigger) => (
      <Button ref={trigger} icon={<Icon name="add" />} style={{ alignSelf: 'flex-start' }}>
        添加险种
      </Button>
    )}
  </Menu>
)

type HeadProps = {
  scheme: SchemeTemplate
  change: (part: Partial<SchemeTemplate>) => void
  errorOf: (field: string) => string | undefined
}
const HeadFields = ({ scheme, change, errorOf }: HeadProps) => (
  <div className={styles.fields}>
    <Labelled label="城市" error={errorOf('city')}>
      <Input aria-label="城市" value={scheme.city} maxLength={20} onChange={({ target }) => change({ city: target.value })} />
    </Labelled>
    <Labelled label="从哪个月起" error={errorOf('valid_from')}>
      <MonthField
        label="从哪个月起"
        clear={false}
        value={scheme.valid_from}
        onChange={(month) => month && change({ valid_from: month })}
      />
    </Labelled>
    <Labelled label="到哪个月止" error={errorOf('valid_to')}>
      <MonthField label="到哪个月止" value={scheme.valid_to} onChange={(valid_to) => change({ valid_to })} />
    </Labelled>
    <Labelled label="依据的文件" wide error={errorOf('document')}>
      <Input
        aria-label="依据的文件"
        value={scheme.document}
        maxLength={300}
        placeholder="如：某市人力资源和社会保障局2026年缴费标准通知"
        onChange={({ target }) => change({ document: target.value })}
      />
    </Labelled>
  </div>
)

type ItemProps = {
  item: SchemeItemInfo
  wrong: { name: string; text: string } | null
  onChange: (item: SchemeItemInfo) => void
  onRemove: () => void
}
function ItemForm({ item, wrong, onChange, onRemove }: ItemProps) {
  const name = insuranceNames[item.code]
  const isBand = item.from_ppm !== null || item.to_ppm !== null
  const errorOf = (field: string) => (wrong?.name === field ? wrong.text : undefined)
  const rate = (field: 'employee_ppm' | 'employer_ppm' | 'from_ppm' | 'to_ppm', label: string) => (
    <Labelled label={label} error={errorOf(field)}>
      <RateField label={`${name}${label}`} value={item[field]} onChange={(ppm) => onChange({ ...item, [field]: ppm })} />
    </Labelled>
  )
  return (
    <fieldset className={styles.entry} data-wrong={wrong !== null || undefined} aria-label={name}>
      <div className={styles.entryHead}>
        <strong>{name}</strong>
        <button type="button" className="ui-icon-button" aria-label={`删除 ${name}`} onClick={onRemove}>
          <Icon name="trash" />
        </button>
      </div>
      <div className={styles.fields}>
        <Labelled label="基数下限" error={errorOf('floor_fen')}>
          <FenField
            label={`${name}基数下限`}
            value={item.floor_fen}
            onChange={(fen) => onChange({ ...item, floor_fen: fen ?? 0 })}
          />
        </Labelled>
        <Labelled label="基数上限" error={errorOf('ceiling_fen')}>
          <FenField
            label={`${name}基数上限`}
            hint="不填表示没有上限"
            value={item.ceiling_fen}
            onChange={(ceiling_fen) => onChange({ ...item, ceiling_fen })}
          />
        </Labelled>
        {isBand ? (
          <>
            {rate('from_ppm', '最低比例')}
            {rate('to_ppm', '最高比例')}
          </>
        ) : (
          <>
            {rate('employee_ppm', '个人比例')}
            {rate('employer_ppm', '单位比例')}
            <Labelled label="个人另缴定额" error={errorOf('employee_fixed_fen')}>
              <FenField
                label={`${name}个人另缴定额`}
                value={item.employee_fixed_fen}
                onChange={(fen) => onChange({ ...item, employee_fixed_fen: fen ?? 0 })}
              />
            </Labelled>
          </>
        )}
        <Labelled label="取整">
          <div className={styles.pair}>
            <Dropdown<SchemeItemInfo['mode']>
              label={`${name}取整方式`}
              width="100%"
              value={item.mode}
              options={modes}
              onChange={(mode) => mode !== unchosen && onChange({ ...item, mode })}
            />
            <Dropdown<number>
              label={`${name}取整单位`}
              width="100%"
              value={item.unit_fen}
              options={units}
              onChange={(unit_fen) => onChange({ ...item, unit_fen })}
            />
          </div>
        </Labelled>
      </div>
      {errorOf('code') && <p className={styles.wrong}>{errorOf('code')}</p>}
    </fieldset>
  )
}
