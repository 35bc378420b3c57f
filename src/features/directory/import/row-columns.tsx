import { Select } from 'antd'
import type { ImportRowView } from '../../../../server/contract/directory/import.ts'
import { toSheetRowNumber } from '../../../../server/contract/sheets/row-number.ts'
import type { Columns } from '../../../components/table/data-table.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import memberStyles from '../member.module.css'
import styles from './import.module.css'
import { importFieldLabels, importStateLabels } from './labels.ts'

type RowChoice = 'skip' | 'new' | 'person' | 'active' | 'left'
type OnRowChoice = (row: number, take: RowChoice | null, member_id?: string) => void

const formatTextOrDash = (value: string) => value || '—'

/** `hasOwnSheets`: members come from several sheets, so the row number alone is ambiguous. */
export const createRowColumns = (onChoice: OnRowChoice, hasOwnSheets: boolean): Columns<ImportRowView> => [
  { title: '姓名', dataIndex: 'name', width: 160, render: formatTextOrDash },
  hasOwnSheets
    ? { title: '位置', dataIndex: 'row', width: 160, card: 'line', render: (_, row) => <RowPosition row={row} /> }
    : { title: '行', dataIndex: 'row', width: 64, card: 'named', render: toSheetRowNumber },
  { title: '手机号', dataIndex: 'mobile', width: 130, className: 'ui-nowrap', card: 'line', render: formatTextOrDash },
  { title: '工号', dataIndex: 'employee_no', width: 110, className: 'ui-nowrap', card: 'line', render: formatTextOrDash },
  {
    title: '部门',
    dataIndex: 'departments',
    card: 'line',
    render: (channel: string) =>
      channel ? (
        <span className={styles.way} title={channel} data-cut="">
          {channel}
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
    render: (state: ImportRowView['state']) => (
      <StatusDot label={importStateLabels[state].label} color={importStateLabels[state].color} />
    ),
  },
  {
    title: '说明',
    key: 'why',
    card: 'wide',
    render: (_, row) => (hasNothingToShow(row) ? '—' : <RowDetails row={row} onTake={onChoice} />),
  },
]

/** The row comes first because long names are truncated at the end. */
const formatRowPosition = ({ sheet, row }: ImportRowView) =>
  `第 ${toSheetRowNumber(row)} 行${sheet === null ? '' : ` · ${sheet}`}`
const RowPosition = ({ row }: { row: ImportRowView }) => (
  <span className={memberStyles.cut} title={formatRowPosition(row)} data-cut="">
    {formatRowPosition(row)}
  </span>
)

/** Returns whether a row has nothing to show; on a phone it then takes no line. */
const hasNothingToShow = ({ state, message: reason, changes, decision: choice }: ImportRowView) =>
  state !== 'conflict' && !reason && changes.length === 0 && choice === null

/** Shows the old and the new value of each field, or the question with its answers. */
function RowDetails({ row, onTake: onChoice }: { row: ImportRowView; onTake: OnRowChoice }) {
  const isConflict = row.state === 'conflict'
  return (
    <div className={styles.why}>
      {row.message && (
        <span>
          {row.column && <b>{row.column} 列 </b>}
          {row.message}
        </span>
      )}
      {row.changes.length > 0 && (
        <ul>
          {row.changes.map((change) => (
            <li key={change.field}>
              {importFieldLabels[change.field]} <del>{change.old || '空'}</del> → <ins>{change.new}</ins>
            </li>
          ))}
        </ul>
      )}
      {(isConflict || row.decision !== null) && <ConflictAnswer row={row} onTake={onChoice} />}
    </div>
  )
}

const resetChoice = 'again'
const statusOptions = [
  { value: 'active', label: '还在职' },
  { value: 'left', label: '已离职' },
]
function ConflictAnswer({ row, onTake: onChoice }: { row: ImportRowView; onTake: OnRowChoice }) {
  const isConflict = row.state === 'conflict'
  const people = row.choices.map((choice) => ({
    value: choice.ID,
    label: `就是${choice.TERMINATED ? '已离职的' : ''}${choice.NAME}（${[choice.MOBILE, choice.EMPLOYEE_NO].filter(Boolean).join('，')}）`,
  }))
  const options = [
    ...people,
    ...(row.can_create ? [{ value: 'new', label: '是另一个人，新建' }] : []),
    ...(row.may_status ? statusOptions : []),
    { value: 'skip', label: '跳过这一行' },
    ...(row.decision !== null ? [{ value: resetChoice, label: '重新选择' }] : []),
  ]
  const choiceLabels = { skip: '跳过这一行', new: '是另一个人，新建', person: '是已有的员工', status: '已说明是否在职' } as const
  return (
    <Select
      aria-label={`${formatRowPosition(row)} ${row.name}`}
      className={styles.answer}
      placeholder={row.may_status ? '在职还是离职？' : '这一行是谁？'}
      popupMatchSelectWidth={false}
      value={isConflict || row.decision === null ? null : choiceLabels[row.decision]}
      options={isConflict ? options : [{ value: resetChoice, label: '重新选择' }]}
      onChange={(value: string | null) => {
        if (value === 'new' || value === 'skip' || value === 'active' || value === 'left') onChoice(row.row, value)
        else if (value === resetChoice) onChoice(row.row, null)
        else if (value) onChoice(row.row, 'person', value)
      }}
    />
  )
}
