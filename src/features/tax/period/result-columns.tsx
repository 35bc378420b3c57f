import type { Columns } from '../../../components/table/data-table.tsx'
import { Money } from '../../../components/value/money.tsx'
import { formatTaxRate, type TaxMember } from './labels.ts'
import styles from './period.module.css'
import { TaxMemberCell } from './tax-member-cell.tsx'

const renderMoney = (fen: number | null | undefined, strong = false) => <Money fen={fen ?? null} strong={strong} />

const bonusColumn: Columns<TaxMember>[number] = {
  title: '奖金个税',
  key: 'bonus',
  align: 'right',
  render: (_, { bonus_fen, result }) => (bonus_fen ? renderMoney(result?.bonus_tax_fen) : '—'),
}

/** Creates the columns of a period's employees with the cumulative amounts of the year, as in the tax declaration. */
export const createResultColumns = (onOpen: (member_id: string) => void, hasBonus: boolean): Columns<TaxMember> => [
  {
    title: '姓名',
    key: 'who',
    fixed: 'start',
    render: (_, person) => <TaxMemberCell person={person} onOpen={() => onOpen(person.member_id)} />,
  },
  { title: '本期收入', dataIndex: 'income_fen', align: 'right', render: (fen: number) => renderMoney(fen) },
  { title: '累计收入', key: 'cum', align: 'right', render: (_, { result }) => renderMoney(result?.cum_income_fen) },
  {
    title: '累计应纳税所得额',
    key: 'taxable',
    align: 'right',
    render: (_, { result }) =>
      result?.refused ? (
        <span className={styles.refused}>算不出，见详情</span>
      ) : (
        <>
          {renderMoney(result?.cum_taxable_fen)}
          {result && <div className="ui-hint">税率 {formatTaxRate(result.rate_ppm)}</div>}
        </>
      ),
  },
  {
    title: '累计应纳税额',
    key: 'cum_tax',
    align: 'right',
    render: (_, { result }) => (
      <>
        {renderMoney(result?.cum_tax_fen)}
        {result && <div className="ui-hint ui-nowrap">已预扣 {renderMoney(result.cum_withheld_fen)}</div>}
      </>
    ),
  },
  {
    title: '本期应扣',
    key: 'tax',
    align: 'right',
    card: 'end',
    render: (_, { result }) => (result ? renderMoney(result.tax_fen, true) : <span className="ui-label">待计算</span>),
  },
  ...(hasBonus ? [bonusColumn] : []),
  {
    title: '工资表个税',
    key: 'sheet',
    align: 'right',
    render: (_, { sheet_tax_fen, result }) =>
      sheet_tax_fen === null ? (
        '—'
      ) : (
        <span className={result && result.tax_fen !== sheet_tax_fen ? styles.differs : undefined}>
          {renderMoney(sheet_tax_fen)}
          {result && result.tax_fen !== sheet_tax_fen && <span className="sr-only">，与应扣不同</span>}
        </span>
      ),
  },
]
