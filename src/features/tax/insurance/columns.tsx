import { Button } from 'antd'
import type { MemberInsurance } from '../../../../server/contract/tax/insurance.ts'
import type { Columns } from '../../../components/table/data-table.tsx'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { formatRate } from '../fields.tsx'
import { MemberCell } from '../member-cell.tsx'
import { CollapsedSteps } from '../steps.tsx'
import styles from '../tax.module.css'

function InsuranceStatus({ entries, current, refused: errorText, needs_adjustment }: MemberInsurance) {
  if (errorText)
    return (
      <>
        <StatusDot label="不能计算" color="danger" />
        <div className={styles.note}>{errorText}</div>
      </>
    )
  if (needs_adjustment) return <StatusDot label="待年度调整" color="warn" />
  if (current) return <StatusDot label="已填写" color="ok" />
  const [newest] = entries
  if (!newest) return <StatusDot label="没有填写" color="warn" />
  return newest.insured ? <StatusDot label={`${newest.from} 起参保`} color="info" /> : <StatusDot label="不参保" color="ink3" />
}

/** The contribution bases and amounts, by payer. */
const amountColumns: Columns<MemberInsurance> = [
  {
    title: '社保基数',
    key: 'social',
    align: 'right',
    render: (_, { entries: [entry] }) =>
      entry?.insured ? (
        <>
          <Money fen={entry.social_fen} />
          <div className="ui-hint ui-nowrap">{entry.from} 起</div>
        </>
      ) : (
        '—'
      ),
  },
  {
    title: '公积金',
    key: 'fund',
    align: 'right',
    render: (_, { entries: [entry] }) =>
      entry?.insured && entry.housing_fund_ppm !== null ? (
        <>
          <Money fen={entry.housing_fund_fen ?? entry.social_fen} />
          <div className="ui-hint">{formatRate(entry.housing_fund_ppm)}%</div>
        </>
      ) : (
        '—'
      ),
  },
  {
    title: '个人每月',
    key: 'employee',
    align: 'right',
    render: (_, { current }) =>
      current ? (
        <>
          <Money fen={current.employee_fen} strong />
          <CollapsedSteps steps={current.steps} />
        </>
      ) : (
        '—'
      ),
  },
  {
    title: '单位每月',
    key: 'employer',
    align: 'right',
    render: (_, { current }) => (current ? <Money fen={current.employer_fen} /> : '—'),
  },
  {
    title: '上年月平均',
    key: 'last',
    align: 'right',
    render: (_, { last_year }) =>
      last_year ? (
        <>
          <Money fen={last_year.average_fen} />
          <div className="ui-hint">{last_year.months} 个月</div>
        </>
      ) : (
        '—'
      ),
  },
]

export const createInsuranceColumns = (onEdit: (person: MemberInsurance) => void): Columns<MemberInsurance> => [
  { title: '姓名', dataIndex: 'name', width: 150, fixed: 'left', render: (_, person) => <MemberCell {...person} /> },
  { title: '参保城市', key: 'city', card: 'line', render: (_, { entries: [entry] }) => (entry?.insured ? entry.city : '—') },
  ...amountColumns,
  {
    title: '状态',
    key: 'state',
    width: 150,
    card: ({ refused }) => (refused ? 'pair' : 'end'),
    render: (_, person) => <InsuranceStatus {...person} />,
  },
  {
    title: '操作',
    key: 'acts',
    width: 76,
    fixed: 'right',
    render: (_, person) => (
      <Button
        type="link"
        aria-label={`${person.entries.length === 0 ? '填写' : '编辑'} ${person.name}`}
        onClick={() => onEdit(person)}
      >
        {person.entries.length === 0 ? '填写' : '编辑'}
      </Button>
    ),
  },
]
