import type { Columns } from '../../../ui/table/data-table.tsx'
import { RowMenu } from '../../../ui/table/row-menu.tsx'
import { Money } from '../../../ui/value/money.tsx'
import { WhoCell } from '../period/who-cell.tsx'
import type { TaxPerson } from '../period/words.ts'

/** What goes into a month, to be changed person by person. `may`: true, or why nothing changes. */
export const incomeColumns = (
  may: true | string,
  act: (what: 'edit' | 'remove', person: TaxPerson) => void,
): Columns<TaxPerson> => [
  {
    title: '姓名',
    key: 'who',
    fixed: 'start',
    render: (_, person) => <WhoCell person={person} onOpen={may === true ? () => act('edit', person) : undefined} />,
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
    render: (_, { by_hand }) => (by_hand ? '手工填写' : '工资批次'),
  },
  {
    title: '操作',
    key: 'acts',
    fixed: 'end',
    render: (_, person) => (
      <RowMenu
        label={person.name}
        acts={[
          { key: 'edit', label: '修改收入和扣除', verdict: may, onClick: () => act('edit', person) },
          { key: 'remove', label: '移出这一期', danger: true, verdict: may, onClick: () => act('remove', person) },
        ]}
      />
    ),
  },
]
