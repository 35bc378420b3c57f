import type { Columns } from '../../../components/table/data-table.tsx'
import { RowMenu } from '../../../components/table/row-menu.tsx'
import { Money } from '../../../components/value/money.tsx'
import type { TaxMember } from '../period/labels.ts'
import { TaxMemberCell } from '../period/tax-member-cell.tsx'

/** Creates the columns of the month's income data, editable per employee. `allowed`: true, or why editing is not allowed. */
export const createIncomeColumns = (
  allowed: true | string,
  onAction: (what: 'edit' | 'remove', person: TaxMember) => void,
): Columns<TaxMember> => [
  {
    title: '姓名',
    key: 'who',
    fixed: 'start',
    render: (_, person) => (
      <TaxMemberCell person={person} onOpen={allowed === true ? () => onAction('edit', person) : undefined} />
    ),
  },
  {
    title: '本期收入',
    dataIndex: 'income_fen',
    align: 'right',
    card: 'side',
    render: (fen: number) => <Money fen={fen} strong />,
  },
  {
    title: '年终奖单独计税',
    dataIndex: 'bonus_fen',
    align: 'right',
    render: (fen: number) => (fen === 0 ? '—' : <Money fen={fen} />),
  },
  {
    title: '工资表个税',
    dataIndex: 'sheet_tax_fen',
    align: 'right',
    card: 'named',
    render: (fen: number | null) => <Money fen={fen} />,
  },
  {
    title: '来源',
    key: 'from',
    className: 'ui-nowrap',
    card: 'line',
    render: (_, { is_manual }) => (is_manual ? '手工填写' : '工资批次'),
  },
  {
    title: '操作',
    key: 'acts',
    fixed: 'end',
    render: (_, person) => (
      <RowMenu
        label={person.name}
        acts={[
          { key: 'edit', label: '修改收入和扣除', allowed, onClick: () => onAction('edit', person) },
          { key: 'remove', label: '移出这一期', danger: true, allowed, onClick: () => onAction('remove', person) },
        ]}
      />
    ),
  },
]
