import type { CallOutput } from '../../../../../server/contract/call.ts'
import { type AccessKind, getAccessLog } from '../../../../../server/contract/payslips/employee-data.ts'
import { formatDateTime, formatMonth } from '../../../../components/value/dates.ts'
import { createPageFetcher, PaginatedSheet } from './paginated-sheet.tsx'

type AccessLogEntry = CallOutput<typeof getAccessLog>['list'][number]
const accessKindLabels: Record<AccessKind, string> = {
  slip: '打开了您的工资条',
  corrected: '更正了您的工资条',
  log: '查看了更正记录',
  question: '查看或回复了您的反馈',
  receipt: '读取了您的确认回执',
  person: '查看了您各月的工资条',
  id_card: '查看了您的身份证号',
  tax: '查看了您的个税扣除和社保基数',
  list: '查看了这一批的名单',
  export: '导出了这一批的表格',
}

const renderEntry = ({ at, count, by, kind, title, month }: AccessLogEntry, index: number) => (
  <li key={`${index} ${at}`}>
    <span>
      <strong>{by}</strong> {accessKindLabels[kind]}
      <small>
        {formatDateTime(at)}
        {count > 1 && `，当天 ${count} 次`}
        {title && ` · ${title}${month ? `（${formatMonth(month)}）` : ''}`}
      </small>
    </span>
  </li>
)

/** The administrators who viewed the employee's payslips. */
export const AccessLogSheet = ({ onClose }: { onClose: () => void }) => (
  <PaginatedSheet<AccessLogEntry>
    title="谁看过我的工资条"
    hint="管理员每次查看都会留下记录，这里每人每天一行。名单和表格按部门授权，管理员只看得到自己管理的人。"
    empty="还没有管理员看过您的工资条。"
    name="looks"
    fetchPage={createPageFetcher(getAccessLog)}
    onClose={onClose}
    line={renderEntry}
  />
)
