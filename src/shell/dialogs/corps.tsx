import type { getMyCorps } from '../../../server/contract/account/account.ts'
import { selectCorp } from '../../../server/contract/account/account.ts'
import type { OutputOf } from '../../../server/contract/call.ts'
import { cache, endHere, useCall } from '../../api.ts'
import { session } from '../../api-core.ts'
import { Icon } from '../../ui/icon.tsx'
import { Dialog } from '../../ui/over/dialogs.tsx'
import styles from '../desk/shell.module.css'

type Corp = OutputOf<typeof getMyCorps>['corps'][number]

/** Another of one's companies. The session is made anew and the window begins again: nothing of the first company stays. */
export function CorpsDialog(props: { open: boolean; corps: readonly Corp[]; current: string; onClose: () => void }) {
  const choose = useCall(selectCorp)
  const enter = async ({ corp_id, as }: Corp) => {
    if (corp_id === props.current) return props.onClose()
    const { token } = await choose.mutateAsync({ corp_id })
    // What is still being asked was asked in the other company.
    endHere()
    session.keep(token)
    cache.clear()
    location.replace(as.includes('admin') ? '/landing' : '/m/slips')
  }
  return (
    <Dialog open={props.open} title="切换公司" onClose={props.onClose} maskCloses>
      <ul className={styles.choose}>
        {props.corps.map((corp) => (
          <li key={corp.corp_id}>
            <button
              type="button"
              aria-current={corp.corp_id === props.current || undefined}
              disabled={choose.isPending}
              // A refusal was said in a toast already.
              onClick={() => void enter(corp).catch(() => undefined)}
            >
              <span>
                {corp.name}
                <small>{corp.as.includes('admin') ? '管理员' : '员工'}</small>
              </span>
              {corp.corp_id === props.current && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
