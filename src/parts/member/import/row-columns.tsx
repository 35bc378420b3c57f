import { Select } from 'antd'
import type { ImportRowInfo } from '../../../../server/contract/people/import.ts'
import { rowShown } from '../../../../server/contract/sheet/row-number.ts'
import type { Columns } from '../../../ui/table/data-table.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import memberStyles from '../member.module.css'
import styles from './import.module.css'
import { fieldWords, stateWords } from './words.ts'

type Take = 'skip' | 'new' | 'person' | 'active' | 'left'
type OnTake = (row: number, take: Take | null, member_id?: string) => void

const text = (value: string) => value || '—'

/** `onForms`: people stand on sheets of their own, of which the number of a row alone says little. */
export const rowColumns = (onTake: OnTake, onForms: boolean): Columns<ImportRowInfo> => [
  { title: '姓名', dataIndex: 'name', width: 160, render: text },
  onForms
    ? { title: '位置', dataIndex: 'row', width: 160, card: 'line', render: (_, row) => <Place row={row} /> }
    : { title: '行', dataIndex: 'row', width: 64, card: 'named', render: rowShown },
  { title: '手机号', dataIndex: 'mobile', width: 130, className: 'ui-nowrap', card: 'line', render: text },
  { title: '工号', dataIndex: 'employee_no', width: 110, className: 'ui-nowrap', card: 'line', render: text },
  {
    title: '部门',
    dataIndex: 'departments',
    card: 'line',
    render: (way: string) =>
      way ? (
        <span className={styles.way} title={way} data-cut="">
          {way}
        </span>
      ) : (
        '—'
      ),
  },
  {
    title: '结果',
    dataIndex: 'state',
    width: 104,
    card: 'side',
    render: (state: ImportRowInfo['state']) => <StatusDot word={stateWords[state].word} tone={stateWords[state].tone} />,
  },
  { title: '说明', key: 'why', card: 'wide', render: (_, row) => (isPlain(row) ? '—' : <Why row={row} onTake={onTake} />) },
]

/** The row first: of a long name the end is cut. */
const placeOf = ({ sheet, row }: ImportRowInfo) => `第 ${rowShown(row)} 行${sheet === null ? '' : ` · ${sheet}`}`
const Place = ({ row }: { row: ImportRowInfo }) => (
  <span className={memberStyles.cut} title={placeOf(row)} data-cut="">
    {placeOf(row)}
  </span>
)

/** Nothing is to be said of it: on a phone it has no line for that. */
const isPlain = ({ state, why, changes, take }: ImportRowInfo) =>
  state !== 'conflict' && !why && changes.length === 0 && take === null

/** Old → new, field by field; or what is asked, with the answers. */
function Why({ row, onTake }: { row: ImportRowInfo; onTake: OnTake }) {
  const isAsked = row.state === 'conflict'
  return (
    <div className={styles.why}>
      {row.why && (
        <span>
          {row.column && <b>{row.column} 列 </b>}
          {row.why}
        </span>
      )}
      {row.changes.length > 0 && (
        <ul>
          {row.changes.map((one) => (
            <li key={one.field}>
              {fieldWords[one.field]} <del>{one.old || '空'}</del> → <ins>{one.new}</ins>
            </li>
          ))}
        </ul>
      )}
      {(isAsked || row.take !== null) && <Answer row={row} onTake={onTake} />}
    </div>
  )
}

const again = 'again'
const statusOptions = [
  { value: 'active', label: '还在职' },
  { value: 'left', label: '已离职' },
]
function Answer({ row, onTake }: { row: ImportRowInfo; onTake: OnTake }) {
  const isAsked = row.state === 'conflict'
  const people = row.choices.map((one) => ({
    value: one.ID,
    label: `就是${one.LEFT ? '已离职的' : ''}${one.NAME}（${[one.MOBILE, one.EMPLOYEE_NO].filter(Boolean).join('，')}）`,
  }))
  const options = [
    ...people,
    ...(row.may_new ? [{ value: 'new', label: '是另一个人，新建' }] : []),
    ...(row.may_status ? statusOptions : []),
    { value: 'skip', label: '跳过这一行' },
    ...(row.take !== null ? [{ value: again, label: '重新选择' }] : []),
  ]
  const said = { skip: '跳过这一行', new: '是另一个人，新建', person: '是已有的员工', status: '已说明是否在职' } as const
  return (
    <Select
      aria-label={`${placeOf(row)} ${row.name}`}
      className={styles.answer}
      placeholder={row.may_status ? '在职还是离职？' : '这一行是谁？'}
      popupMatchSelectWidth={false}
      value={isAsked || row.take === null ? null : said[row.take]}
      options={isAsked ? options : [{ value: again, label: '重新选择' }]}
      onChange={(value: string | null) => {
        if (value === 'new' || value === 'skip' || value === 'active' || value === 'left') onTake(row.row, value)
        else if (value === again) onTake(row.row, null)
        else if (value) onTake(row.row, 'person', value)
      }}
    />
  )
}
