import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getPlatformAccounts, unlinkPlatformAccount } from '../../../../../server/contract/auth/profile.ts'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import { providerLabels } from '../../../../../server/contract/shared/providers.ts'
import { useCallMutation } from '../../../../api.ts'
import { toast } from '../../../../components/overlay/toast.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { formatDateTime } from '../../../../components/value/dates.ts'
import { BottomSheet } from '../../../payslips/employee/bottom-sheet.tsx'
import employeeStyles from '../../../payslips/employee/m.module.css'
import { platformAccountsQuery } from '../queries.ts'
import styles from './devices-sheet.module.css'

type PlatformAccount = CallOutput<typeof getPlatformAccounts>['list'][number]

/** The platform accounts that sign in as the current user; the user can end the relation. */
export function PlatformAccountsSheet({ onClose }: { onClose: () => void }) {
  const accounts = useQuery(platformAccountsQuery)
  const [ending, setEnding] = useState<PlatformAccount>()
  const unlink = useCallMutation(unlinkPlatformAccount, {
    affects: [getPlatformAccounts],
    onSuccess: () => toast.success('已解除关联'),
    onSettled: () => setEnding(undefined),
  })
  if (ending) {
    const name = providerLabels[ending.provider]
    return (
      <BottomSheet open title={`解除与${name}账号的关联？`} onClose={() => setEnding(undefined)}>
        <p className="ui-label">解除后不能再用这个{name}账号登录，工资条改用短信通知。再次登录时验证手机号即可重新关联。</p>
        <div className={employeeStyles.sheetActions}>
          <button type="button" className={`ui-button ${employeeStyles.button}`} onClick={() => setEnding(undefined)}>
            取消
          </button>
          <button
            type="button"
            className={`ui-button ${employeeStyles.button} ${employeeStyles.primary}`}
            disabled={unlink.isPending}
            onClick={() => unlink.mutate({ provider: ending.provider, account: ending.account })}
          >
            解除关联
          </button>
        </div>
      </BottomSheet>
    )
  }
  return (
    <BottomSheet open title="关联的办公平台账号" onClose={onClose}>
      {accounts.data ? (
        <>
          {accounts.data.list.length === 0 && <p className="ui-label">还没有关联。从办公平台进入薪函时验证一次手机号即可。</p>}
          <ul className={styles.root}>
            {accounts.data.list.map((one) => (
              <li key={`${one.provider}${one.account}`}>
                <span>
                  <strong>{providerLabels[one.provider]}</strong>
                  <small>关联于 {formatDateTime(one.linked_at)}</small>
                </span>
                <button
                  type="button"
                  className="ui-button"
                  aria-label={`解除与${providerLabels[one.provider]}账号的关联`}
                  onClick={() => setEnding(one)}
                >
                  解除
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : accounts.error ? (
        <ErrorState error={accounts.error} retry={() => void accounts.refetch()} />
      ) : (
        <Skeleton rows={2} />
      )}
      <div className={employeeStyles.sheetActions}>
        <button type="button" className={`ui-button ${employeeStyles.button}`} onClick={onClose}>
          关闭
        </button>
      </div>
    </BottomSheet>
  )
}
