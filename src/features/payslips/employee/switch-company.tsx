import { selectCorp } from '../../../../server/contract/auth/sign-in.ts'
import { queryClient, useCallMutation } from '../../../api.ts'
import { session } from '../../../api-core.ts'
import { Icon } from '../../../components/icon.tsx'
import { BottomSheet } from './bottom-sheet.tsx'
import styles from './m.module.css'

type EmployeeCompanies = { corp_id: string; corps: readonly { corp_id: string; name: string }[] }

/** Switches to another of the user's companies by a new session and a reload: no state of the first company remains. */
export function SwitchCompanySheet({ me: employee, onClose }: { me: EmployeeCompanies; onClose: () => void }) {
  const switchCompany = useCallMutation(selectCorp, {
    onSuccess: ({ token }) => {
      session.setToken(token)
      queryClient.clear()
      location.replace('/m/slips')
    },
  })
  return (
    <BottomSheet open title="切换公司" onClose={onClose}>
      <ul className={styles.corps}>
        {employee.corps.map(({ corp_id, name }) => (
          <li key={corp_id}>
            <button
              type="button"
              aria-current={corp_id === employee.corp_id || undefined}
              disabled={switchCompany.isPending}
              onClick={() => (corp_id === employee.corp_id ? onClose() : switchCompany.mutate({ corp_id }))}
            >
              <span>{name}</span>
              {corp_id === employee.corp_id && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
    </BottomSheet>
  )
}
