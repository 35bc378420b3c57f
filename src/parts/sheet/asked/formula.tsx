import { Button, Select } from 'antd'
import { type HTMLAttributes, useState } from 'react'
import type { SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import type { CellKind } from '../../../../server/contract/words/words.ts'
import { Icon } from '../../../ui/icon.tsx'
import { type Marks, signs } from '../grid/grid-head.tsx'
import { columnName, hasItems } from '../words.ts'
import styles from './asked.module.css'

type Sum = { plus: string[]; minus: string[] }
export type FormulaChoice = Sum | null
const figures: ReadonlySet<CellKind> = new Set(['money', 'number'])

export const marksOf = (whole: string, { plus, minus }: Sum): Marks =>
  new Map([
    ...plus.map((key) => [key, 'plus'] as const),
    ...minus.map((key) => [key, 'minus'] as const),
    [whole, 'equals'] as const,
  ])

/** How the net pay comes about, as the rows say it or a person set it, and below it the subtotals. */
export function FormulaLine(props: {
  info: SheetInfo
  busy: boolean
  onSave: (formula: FormulaChoice) => void
  /** The columns of the sum that is pointed at; null when none is. */
  onPoint: (marks: Marks | null) => void
}) {
  const { info, busy, onSave, onPoint } = props
  const { formula, subtotals } = info
  const [draft, setDraft] = useState<Sum | null>(null)
  const names = new Map(info.columns.map((column) => [column.key, columnName(column)]))
  const net = formula?.net ?? info.columns.find(({ role }) => role === 'net')?.key
  if (net === undefined || (!formula && !hasItems(info))) return null
  if (draft)
    return (
      <Editor
        info={info}
        net={net}
        draft={draft}
        busy={busy}
        onChange={(next) => {
          setDraft(next)
          onPoint(marksOf(net, next))
        }}
        onClose={() => {
          setDraft(null)
          onPoint(null)
        }}
        onSave={(next) => {
          setDraft(null)
          onPoint(null)
          onSave(next)
        }}
      />
    )
  const point = (whole: string, sum: Sum) => ({
    onMouseEnter: () => onPoint(marksOf(whole, sum)),
    onMouseLeave: () => onPoint(null),
    onFocus: () => onPoint(marksOf(whole, sum)),
    onBlur: () => onPoint(null),
  })
  const edit = () => {
    const start = { plus: formula?.plus ?? [], minus: formula?.minus ?? [] }
    setDraft(start)
    onPoint(marksOf(net, start))
  }
  return (
    <section className={styles.formula} aria-label="加减关系">
      {formula ? (
        <div className={styles.formulaLine} {...point(net, formula)}>
          <Chips whole={names.get(net) ?? ''} sum={formula} names={names} />
          <span className={styles.formulaEnd}>
            <Holds {...formula} />
            <Button type="link" size="small" disabled={busy} onClick={edit}>
              修改<span className="sr-only">加减关系</span>
            </Button>
          </span>
        </div>
      ) : (
        <div className={styles.formulaLine}>
          <span className="ui-label">没看出「{names.get(net)}」由哪几列加减得出，所以没有逐行验算</span>
          <Button type="link" size="small" disabled={busy} onClick={edit}>
            设置加减关系
          </Button>
        </div>
      )}
      {subtotals.length > 0 && <Subtotals sums={subtotals} names={names} point={point} />}
    </section>
  )
}

type Pointing = (whole: string, sum: Sum) => HTMLAttributes<HTMLElement>
type SubtotalsProps = { sums: SheetInfo['subtotals']; names: ReadonlyMap<string, string>; point: Pointing }
/** Sums within the sum. */
const Subtotals = ({ sums, names, point }: SubtotalsProps) => (
  <details>
    <summary>
      {sums.length} 个小计
      {sums.every(({ holds, of }) => holds === of) ? '逐行相符' : '，有的行不符'}
    </summary>
    {sums.map((one) => (
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- pointing at it with a keyboard marks its columns
      <div key={one.key} className={styles.formulaLine} tabIndex={0} role="group" {...point(one.key, one)}>
        <Chips whole={names.get(one.key) ?? ''} sum={one} names={names} />
        <Holds {...one} />
      </div>
    ))}
  </details>
)

const Holds = ({ holds, of }: { holds: number; of: number }) => (
  <span className={styles.formulaHolds} data-ok={holds === of || undefined}>
    <Icon name={holds === of ? 'check' : 'warn'} size={16} />
    {holds === of ? `${of} 行都相符` : `${of} 行里 ${holds} 行相符`}
  </span>
)

function Chips({ whole, sum, names }: { whole: string; sum: Sum; names: ReadonlyMap<string, string> }) {
  const parts = [...sum.plus.map((key) => ['plus', key] as const), ...sum.minus.map((key) => ['minus', key] as const)]
  return (
    <span className={styles.formulaChips}>
      <b>{whole}</b>
      {parts.map(([sign, key], at) => (
        <span key={key}>
          <i>{at === 0 ? signs.equals : ''}</i>
          <i>{at === 0 && sign === 'plus' ? '' : signs[sign]}</i>
          <span className={styles.formulaChip} data-sign={sign}>
            {names.get(key) ?? key}
          </span>
        </span>
      ))}
    </span>
  )
}

function Editor(props: {
  info: SheetInfo
  net: string
  draft: Sum
  busy: boolean
  onChange: (draft: Sum) => void
  onClose: () => void
  onSave: (formula: FormulaChoice) => void
}) {
  const { info, net, draft, busy, onChange } = props
  const name = (key: string) => {
    const column = info.columns.find((one) => one.key === key)
    return column ? columnName(column) : key
  }
  const without = (key: string): Sum => ({
    plus: draft.plus.filter((one) => one !== key),
    minus: draft.minus.filter((one) => one !== key),
  })
  const add = (key: string) => {
    const column = info.columns.find((one) => one.key === key)
    const minus = column?.role === 'deduction' || column?.role === 'tax'
    onChange(minus ? { ...draft, minus: [...draft.minus, key] } : { ...draft, plus: [...draft.plus, key] })
  }
  const flip = (key: string, sign: 'plus' | 'minus') => {
    const rest = without(key)
    onChange(sign === 'plus' ? { ...rest, minus: [...rest.minus, key] } : { ...rest, plus: [...rest.plus, key] })
  }
  const used = new Set([net, ...draft.plus, ...draft.minus])
  const free = info.columns.filter(({ key, kind }) => figures.has(kind) && !used.has(key))
  const chips = [...draft.plus.map((key) => ['plus', key] as const), ...draft.minus.map((key) => ['minus', key] as const)]
  return (
    <section className={`${styles.formula} ui-card`} aria-label="修改加减关系">
      <div className={styles.formulaChips}>
        <b>{name(net)} =</b>
        {chips.map(([sign, key]) => (
          <span key={key} className={`${styles.formulaChip} ${styles.formulaEdit}`} data-sign={sign}>
            <button
              type="button"
              aria-label={sign === 'plus' ? `「${name(key)}」现在是加，改成减` : `「${name(key)}」现在是减，改成加`}
              onClick={() => flip(key, sign)}
            >
              {signs[sign]}
            </button>
            {name(key)}
            <button type="button" aria-label={`去掉「${name(key)}」`} onClick={() => onChange(without(key))}>
              <Icon name="close" size={14} />
            </button>
          </span>
        ))}
        <Select
          aria-label="加一列"
          placeholder="加一列"
          value={null}
          size="small"
          style={{ width: 132 }}
          popupMatchSelectWidth={false}
          showSearch={{ optionFilterProp: 'label' }}
          options={free.map((column) => ({ value: column.key, label: `${column.col} ${columnName(column)}` }))}
          onChange={(key: string | null) => key && add(key)}
        />
      </div>
      <div className="ui-row">
        <Button disabled={busy || chips.length === 0} onClick={() => props.onSave(draft)}>
          按这样逐行核对
        </Button>
        <Button disabled={busy} onClick={() => props.onSave(null)}>
          不核对
        </Button>
        <Button type="text" onClick={props.onClose}>
          取消
        </Button>
      </div>
    </section>
  )
}
