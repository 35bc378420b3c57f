import { type Power, powerLabels, powers } from '../../../server/contract/access.ts'
import type { Columns } from '../../components/table/data-table.tsx'
import { type RowAction, RowMenu } from '../../components/table/row-menu.tsx'
import {
  type Acting,
  type Admin,
  canChangeScope,
  canManageAdmin,
  canRevokePower,
  canTransfer,
  type GrantablePower,
  grantablePowers,
} from './rights.ts'
import styles from './role.module.css'
import { ScopeTags } from './scope.tsx'

export type AdminAction =
  | { kind: 'add' }
  | { kind: 'hand-over' }
  | { kind: 'scope' | 'transfer' | 'end'; admin: Admin }
  | { kind: 'take'; admin: Admin; power: GrantablePower }

/** Returns the actions for one administrator, each with the reason if it is not allowed. */
function getAdminActions(
  { power: currentPowers, isAgency }: Acting,
  admin: Admin,
  start: (doing: AdminAction) => void,
): RowAction[] {
  // An agency has no pay runs of its own to transfer.
  const isPayrollAdmin = admin.power.includes('2') && !isAgency
  return [
    {
      key: 'scope',
      label: '修改管理范围',
      allowed: canChangeScope(currentPowers, admin),
      onClick: () => start({ kind: 'scope', admin }),
    },
    ...(isPayrollAdmin
      ? [
          {
            key: 'transfer',
            label: '移交薪酬管理权限',
            allowed: canTransfer(currentPowers),
            onClick: () => start({ kind: 'transfer', admin }),
          },
        ]
      : []),
    ...grantablePowers
      .filter((power) => admin.power.includes(power))
      .map((power) => ({
        key: `take-${power}`,
        label: `取消${powerLabels[power]}`,
        allowed: canRevokePower(currentPowers, admin, power),
        danger: true,
        onClick: () => start({ kind: 'take', admin, power }),
      })),
    {
      key: 'end',
      label: '强制退出登录',
      allowed: admin.is_current_user ? '退出自己的其他设备，请到右上角「我的账号」' : canManageAdmin(currentPowers, admin),
      onClick: () => start({ kind: 'end', admin }),
    },
  ]
}

const adminInfoColumns: Columns<Admin> = [
  {
    title: '姓名',
    dataIndex: 'name',
    width: 140,
    render: (name: string, { is_current_user }) => (
      <span className={styles.name} title={name}>
        <strong>{name}</strong>
        {is_current_user && <small>（我）</small>}
      </span>
    ),
  },
  { title: '手机号', dataIndex: 'mobile_masked', width: 132, className: 'ui-nowrap', card: 'line' },
  {
    title: '权限',
    dataIndex: 'power',
    render: (has: Power[]) => (
      <span className="ui-tags">
        {powers
          .filter((power) => has.includes(power))
          .map((power) => (
            <span key={power} className="ui-tag">
              {powerLabels[power]}
            </span>
          ))}
      </span>
    ),
  },
  { title: '管理范围', dataIndex: 'scope', render: (scope: Admin['scope']) => <ScopeTags {...scope} /> },
]
const batchesColumn: Columns<Admin>[number] = {
  title: '工资批次',
  dataIndex: 'batches',
  width: 96,
  align: 'right',
  className: 'ui-nowrap',
  card: 'named',
  render: (batches: number) => batches || '—',
}

/** On a phone the actions are next to the name instead of beyond the screen edge. */
export function createAdminColumns(acting: Acting, start: (doing: AdminAction) => void, isNarrow: boolean): Columns<Admin> {
  const columns = acting.isAgency ? adminInfoColumns : [...adminInfoColumns, batchesColumn]
  const actionsColumn: Columns<Admin>[number] = {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 60,
    fixed: 'right',
    render: (_, admin) => <RowMenu label={admin.name} acts={getAdminActions(acting, admin, start)} />,
  }
  return isNarrow ? [...columns.slice(0, 1), actionsColumn, ...columns.slice(1)] : [...columns, actionsColumn]
}
