import { Link } from '@tanstack/react-router'
import { Empty } from '../../../ui/state/empty.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import styles from '../m.module.css'
import { Top } from '../top.tsx'
import { useElsewhere } from './elsewhere.ts'

/** `was`: it was on this screen a moment ago. */
export function Gone({ slip_id, was = false }: { slip_id: string; was?: boolean }) {
  const looking = useElsewhere(slip_id)
  return (
    <>
      <Top title="工资条" to="/m/slips" />
      {looking ? (
        <main className={styles.pad}>
          <Skeleton rows={9} />
        </main>
      ) : (
        <main className={styles.middle} role={was ? 'alert' : undefined}>
          <Empty
            drawing="broken"
            text={was ? '公司刚刚撤回了这张工资条，内容已不再有效。' : '这张工资条已被撤回或不存在'}
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
