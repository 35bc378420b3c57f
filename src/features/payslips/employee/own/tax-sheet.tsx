import { useQuery } from '@tanstack/react-query'
import { type EmployeeTax, getSlipTax } from '../../../../../server/contract/payslips/employee-tax.ts'
import { callQuery } from '../../../../api.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { Money } from '../../../../components/value/money.tsx'
import { BottomSheet } from '../bottom-sheet.tsx'
import styles from '../m.module.css'
import { noCacheOptions } from '../queries.ts'
import { EmployeeTaxAmounts } from './tax-amounts.tsx'

/** How the tax of a payslip was calculated: the cumulative sums of the year, and each step. */
export function EmployeeTaxSheet(props: { slip_id: string; slip_tax_fen: number; hidden: boolean; onClose: () => void }) {
  const { slip_id, slip_tax_fen, hidden, onClose } = props
  const taxDetail = useQuery({ ...callQuery(getSlipTax, { slip_id }), ...noCacheOptions })
  const { data } = taxDetail
  return (
    <BottomSheet open title="个税怎么算的" onClose={onClose}>
      {taxDetail.error && <ErrorState error={taxDetail.error} retry={() => void taxDetail.refetch()} />}
      {taxDetail.isPending && <Skeleton rows={5} />}
      {data &&
        (data.tax ? (
          <TaxDetail tax={data.tax} slip_tax_fen={slip_tax_fen} hidden={hidden} />
        ) : (
          <p>{formatNoTaxDetail(data.is_hidden)}</p>
        ))}
      <div className={styles.sheetActions}>
        <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
          关闭
        </button>
      </div>
    </BottomSheet>
  )
}

const formatNoTaxDetail = (withheld: boolean): string =>
  withheld
    ? '本年有工资条需要验证或已经关闭，累计数不能显示；请先在工资条列表里验证身份。'
    : '公司还没有提供这个月的个税计算过程。有疑问可以点「有疑问」问公司。'

const TaxDetail = ({ tax, slip_tax_fen, hidden }: { tax: EmployeeTax; slip_tax_fen: number; hidden: boolean }) => (
  <>
    <p>工资的个税按全年累计计算：截至 {Number(tax.month.slice(5))} 月一共该交多少，减去以前月份已经扣的，就是这次扣的。</p>
    {slip_tax_fen !== tax.tax_fen + tax.bonus_tax_fen && (
      <p className={styles.note}>
        工资条上扣的是 <Money fen={slip_tax_fen} hidden={hidden} />
        ，和公司在这里申报的不同；可能一个月里发了几次，或以前月份没有录入，可以点「有疑问」问公司。
      </p>
    )}
    <EmployeeTaxAmounts tax={tax} hidden={hidden} />
  </>
)
