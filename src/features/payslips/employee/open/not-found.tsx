import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../../../components/state/empty-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import styles from '../m.module.css'
import { PageTopBar } from '../page-top-bar.tsx'
import { useSwitchToPayslipCompany } from './other-company.ts'

/** `wasVisible`: the payslip was on this screen a moment ago. */
export function PayslipNotFound({ slip_id, was: wasVisible = false }: { slip_id: string; was?: boolean }) {
  const isSearching = useSwitchToPayslipCompany(slip_id)
  return (
    <>
      <PageTopBar title="工资条" to="/m/slips" />
      {isSearching ? (
        <main className={styles.pad}>
          <Skeleton rows={9} />
        </main>
      ) : (
        <main className={styles.middle} role={wasVisible ? 'alert' : undefined}>
          <EmptyState
            illustration="broken"
            text={wasVisible ? '公司已撤回这张工资条，内容不再有效；如有更正，会重新发给您。' : '这张工资条已被撤回或不存在'}
            action={
              <Link to="/m/slips" className={`ui-button ${styles.button}`}>
                回到工资条
              </Link>
            }
          />
        </main>
      )}
    </>
  )
}
