import type { getAvailableCorps } from '../../../server/contract/auth/sign-in.ts'
import { selectCorp } from '../../../server/contract/auth/sign-in.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { markSessionEnded, queryClient, useCallMutation } from '../../api.ts'
import { session } from '../../api-core.ts'
import { Icon } from '../../components/icon.tsx'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import styles from '../desktop/shell.module.css'

type AvailableCompany = CallOutput<typeof getAvailableCorps>['corps'][number]

/** Switches to another of the user's companies by a new session and a reload: no state of the first company remains. */
export function SwitchCompanyDialog(props: {
  open: boolean
  corps: readonly AvailableCompany[]
  current: string
  onClose: () => void
}) {
  const selectCompany = useCallMutation(selectCorp)
  const switchTo = async ({ corp_id, as }: AvailableCompany) => {
    if (corp_id === props.current) return props.onClose()
    const { token } = await selectCompany.mutateAsync({ corp_id })
    // Requests still in flight belong to the previous company.
    markSessionEnded()
    session.setToken(token)
    queryClient.clear()
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
              disabled={selectCompany.isPending}
              // A toast has already reported the error.
              onClick={() => void switchTo(corp).catch(() => undefined)}
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
